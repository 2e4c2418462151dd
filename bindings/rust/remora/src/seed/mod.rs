// SPDX-License-Identifier: Apache-2.0

//! Seeds: data that an installer saves before the program runs.

mod request;

pub use request::SeedRequest;

use std::path::Path;
use std::ptr;
use std::time::SystemTime;

use remora_sys as sys;

use crate::bundle::{bundle_identity, BundleIdentity};
use crate::client::ClientBuilder;
use crate::collection::{collection_identity, CollectionIdentity};
use crate::error::{check, Error, Result};
use crate::ffi::{defaults, Texts};
use crate::opening::Identity;
use crate::settings::{settings_identity, SettingsIdentity};
use crate::time;
use request::keep;

/// A seed: data that an installer downloads and saves, so that the program has data at its first
/// start.
///
/// Set the options of the seed to the values with which the program opens the source. Pass the
/// program's [`ClientBuilder`] to the methods, which do not call the builder's closures.
///
/// ```no_run
/// # fn main() -> Result<(), remora::Error> {
/// let host = remora::Client::builder("/var/lib/host").application("host", "2.0");
/// let seed = remora::Seed::settings("https://settings.example/app").param("user", "none");
/// let request = seed.request(&host, "post-install")?;
/// // Download request.url to a file, in any way.
/// seed.save(&host, "download.json", None)?;
/// # Ok(()) }
/// ```
///
/// Options of another kind do not compile:
///
/// ```compile_fail,E0599
/// remora::Seed::bundle("https://settings.example/bundle").param("user", "none");
/// ```
#[derive(Clone)]
pub struct Seed<I> {
    identity: I,
}

impl Seed<SettingsIdentity> {
    /// Describes the seed of settings. Pass the URL of
    /// [`Client::settings`](crate::Client::settings); `None` means the library's default URL.
    pub fn settings<'u>(url: impl Into<Option<&'u str>>) -> Self {
        let identity = SettingsIdentity::new(url.into().map(str::to_string));
        Self { identity }
    }

    settings_identity!(identity);
}

impl Seed<BundleIdentity> {
    /// Describes the seed of a bundle.
    pub fn bundle(url: impl Into<String>) -> Self {
        let identity = BundleIdentity::new(Some(url.into()));
        Self { identity }
    }

    bundle_identity!(identity);
}

impl Seed<CollectionIdentity> {
    /// Describes the seed of a collection. Its file is the output of `remora dump`.
    pub fn collection(name: impl Into<String>) -> Self {
        let identity = CollectionIdentity::new(name.into());
        Self { identity }
    }

    collection_identity!(identity);
}

impl<I: Identity> Seed<I> {
    /// Returns the request with which an installer downloads the seed. Sends no request.
    ///
    /// For settings, the URL has query items for `identifier` ("seed" if it is `None`) and for the
    /// application's name, version and build number. These items do not change the identity of the
    /// source.
    ///
    /// # Errors
    /// `InvalidArgument`, also for a collection; `Unavailable` (the library does not fit this crate).
    pub fn request<'i>(
        &self,
        host: &ClientBuilder,
        identifier: impl Into<Option<&'i str>>,
    ) -> Result<SeedRequest> {
        let mut texts = Texts::default();
        let identifier = texts.option(&identifier.into(), "identifier")?;
        self.with_options(host, |config, options| {
            options.identifier = identifier;
            let mut request: Option<SeedRequest> = None;
            let here = ptr::addr_of_mut!(request).cast();
            // SAFETY: everything lives during the call, inside of which the callback is called.
            check(|error| unsafe {
                sys::remora_seed_request(config, options, Some(keep), here, error)
            })?;
            request.ok_or_else(Error::closed)
        })
    }

    /// Checks the downloaded file, and saves it as the seed for the next opening of the source. The
    /// file is not changed. After an error, an older seed stays. See `docs/seeding.md` in the
    /// repository.
    ///
    /// `fetched_at` is the time of the download. With `None`, it is the time at which the file was
    /// last modified.
    ///
    /// Any thread. Blocks for file system calls, and at most 5 s for another process that saves a
    /// seed of the source. For a collection, also blocks for a running job of the thread
    /// `remora-engine`, and the first call of a process loads libcurl and libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Storage`, `Permission`, `TooLarge`, `Parse`, `Format`; for a collection
    /// also `Future`, kinds of the trust family, `Unavailable`, and `Closed` (the process is
    /// exiting).
    pub fn save(
        &self,
        host: &ClientBuilder,
        file: impl AsRef<Path>,
        fetched_at: impl Into<Option<SystemTime>>,
    ) -> Result<()> {
        let mut texts = Texts::default();
        let file = texts.text(file.as_ref(), "file")?;
        self.with_options(host, |config, options| {
            options.fetched_at_ms = fetched_at.into().map_or(0, time::to_since_1970);
            // SAFETY: all three arguments, and the data to which they point, live during the call.
            check(|error| unsafe { sys::remora_seed_save(config, options, file, error) })
        })
    }

    fn with_options<T>(
        &self,
        host: &ClientBuilder,
        call: impl FnOnce(&sys::remora_config, &mut sys::remora_seed_options) -> Result<T>,
    ) -> Result<T> {
        host.with_config(|config| {
            let mut texts = Texts::default();
            let source = self.identity.options(&mut texts)?;
            // SAFETY: zero bytes are options of NULLs and zeros.
            let mut options = unsafe { defaults::<sys::remora_seed_options>() };
            I::own(&source, &mut options);
            call(&config, &mut options)
        })
    }
}
