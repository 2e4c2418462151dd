// SPDX-License-Identifier: Apache-2.0

//! What an installer leaves for the first opening. Nothing is checked before `request` or `save`.

mod request;

pub use request::SeedRequest;

use std::path::Path;
use std::time::SystemTime;

use remora_sys as sys;

use crate::bundle::{bundle_identity, BundleIdentity, Method};
use crate::client::ClientBuilder;
use crate::collection::{collection_identity, CollectionIdentity};
use crate::error::{check, Result};
use crate::ffi::{defaults, fetch, Texts};
use crate::opening::Identity;
use crate::settings::{settings_identity, SettingsIdentity};
use crate::time;
use request::headers;

/// What a package downloads and saves after its installation, so that the program finds it at its
/// first opening, as if an earlier run had fetched it.
///
/// Its options are those that make up the identity of the source, whose kind is `I`; they must be
/// the ones that the program opens it with. The [`ClientBuilder`] is the program's; its closures
/// are not called.
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
    /// Creates a seed of settings. The URL is that of
    /// [`Client::settings`](crate::Client::settings): `None` is the library's default.
    pub fn settings<'u>(url: impl Into<Option<&'u str>>) -> Self {
        let identity = SettingsIdentity::new(url.into().map(str::to_string));
        Self { identity }
    }

    settings_identity!(identity);
}

impl Seed<BundleIdentity> {
    /// Creates a seed of a bundle.
    pub fn bundle(url: impl Into<String>) -> Self {
        let identity = BundleIdentity::new(Some(url.into()));
        Self { identity }
    }

    bundle_identity!(identity);
}

impl Seed<CollectionIdentity> {
    /// Creates a seed of a collection: what `remora dump` writes.
    pub fn collection(name: impl Into<String>) -> Self {
        let identity = CollectionIdentity::new(name.into());
        Self { identity }
    }

    collection_identity!(identity);
}

impl<I: Identity> Seed<I> {
    /// Returns the request for the download, to any file and in any way. Sends nothing.
    ///
    /// For settings, the URL has query items for `identifier` ("seed" if it is `None`) and for the
    /// application's name, version and build number. These items do not change the identity of the
    /// source.
    ///
    /// # Errors
    /// `InvalidArgument`, also for a collection; `Unavailable` (a library that does not fit this
    /// crate).
    pub fn request<'i>(
        &self,
        host: &ClientBuilder,
        identifier: impl Into<Option<&'i str>>,
    ) -> Result<SeedRequest> {
        let identifier = identifier.into();
        let part = |part| self.part(host, identifier, part);
        let is_post = part(sys::REMORA_SEED_METHOD)? == "POST";
        Ok(SeedRequest {
            url: part(sys::REMORA_SEED_URL)?,
            method: if is_post { Method::Post } else { Method::Get },
            headers: headers(&part(sys::REMORA_SEED_HEADERS)?),
        })
    }

    /// Checks the downloaded file, and stores it for the next opening. The file is only read; on
    /// any error an older seed stays. The repository's `docs/seeding.md` has the rules.
    ///
    /// `fetched_at` is when the file was downloaded; `None` is when it was last modified. What is
    /// later than now counts as now.
    ///
    /// Any thread; blocks for file system calls, at most 5 s for another process that saves a seed
    /// of the same source. A collection's waits for the job of the engine thread that is running,
    /// and the first of a process loads libcurl and libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Storage` (also when another process saves for 5 s), `Permission`,
    /// `TooLarge`, `Parse`, `Format`; for a collection `Future`, what refuses a signature or chain,
    /// `Unavailable`, and `Closed` (the process is exiting).
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
            // SAFETY: what all three point to lives during the call.
            check(|error| unsafe { sys::remora_seed_save(config, options, file, error) })
        })
    }

    fn part(&self, host: &ClientBuilder, identifier: Option<&str>, part: i32) -> Result<String> {
        let mut texts = Texts::default();
        let identifier = texts.option(&identifier, "identifier")?;
        self.with_options(host, |config, options| {
            options.identifier = identifier;
            let mut outcome = Ok(());
            let text = fetch(|buffer, size, length| {
                // SAFETY: what both point to lives during the call; the buffer has `size` bytes.
                outcome = check(|error| unsafe {
                    sys::remora_seed_request(config, options, part, buffer, size, length, error)
                });
                outcome.is_ok()
            });
            outcome.map(|()| text.unwrap_or_default())
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
