// SPDX-License-Identifier: Apache-2.0

//! What an installer leaves for the first opening. Nothing is checked before `request` or `save`.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use remora_sys as sys;

use crate::bundle::Method;
use crate::client_builder::ClientBuilder;
use crate::collection::Trust;
use crate::error::{check, Error, Result};
use crate::seed_source::{Bundle, Collection, SeedSource, Settings};
use crate::text::{address, fetch, option_text};
use crate::time;

/// What a package downloads and saves after its installation, so that the program finds it at its
/// first opening, as if an earlier run had fetched it.
///
/// Its options are those that make up the identity of the source; they must be the ones that the
/// program opens it with. The [`ClientBuilder`] is the program's; its closures are not called.
///
/// ```no_run
/// # fn main() -> Result<(), remora::Error> {
/// let host = remora::Client::builder("/var/lib/host").application("host", "2.0");
/// let seed = remora::Seed::settings("https://settings.example/app").param("user", "none");
/// let request = seed.request(&host)?;
/// // Download request.url to a file, in any way.
/// seed.save(&host, "download.json")?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Seed {
    source: SeedSource,
    identifier: Option<String>,
    fetched_at_ms: i64,
    /// An option that this kind of source does not have.
    misfit: Option<&'static str>,
}

/// What an installer downloads.
#[derive(Clone, PartialEq, Eq)]
pub struct SeedRequest {
    /// Where it is.
    pub url: String,
    /// How it is asked for; a POST has an empty body.
    pub method: Method,
    /// Names and values of what to send.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for SeedRequest {
    /// Without URL and headers, which may hold secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("SeedRequest");
        shown.field("method", &self.method).finish_non_exhaustive()
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Seed").finish_non_exhaustive()
    }
}

impl Seed {
    /// A seed of settings.
    pub fn settings(url: impl Into<String>) -> Self {
        Self::of(SeedSource::Settings(Settings {
            url: url.into(),
            params: Vec::new(),
            root_key: None,
            tag: None,
            tag_item: None,
        }))
    }

    /// A seed of a bundle.
    pub fn bundle(url: impl Into<String>) -> Self {
        Self::of(SeedSource::Bundle(Bundle {
            url: url.into(),
            name: None,
            method: Method::Get,
            accepted_schema: None,
        }))
    }

    /// A seed of a collection: what `remora dump` writes. Server and bucket are the client's.
    pub fn collection(name: impl Into<String>) -> Self {
        Self::of(SeedSource::Collection(Collection {
            name: name.into(),
            trust: Trust::Required,
            root_sha256: None,
            signer: None,
        }))
    }

    fn of(source: SeedSource) -> Self {
        Self {
            source,
            identifier: None,
            fetched_at_ms: 0,
            misfit: None,
        }
    }

    /// As [`SettingsBuilder::param`](crate::SettingsBuilder::param), in the same order.
    pub fn param(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.of_settings("param", |settings| {
            settings.params.extend([name.into(), value.into()]);
        })
    }

    /// As [`SettingsBuilder::root_key`](crate::SettingsBuilder::root_key).
    pub fn root_key(self, key: impl Into<String>) -> Self {
        self.of_settings("root_key", |settings| settings.root_key = Some(key.into()))
    }

    /// As [`SettingsBuilder::tag`](crate::SettingsBuilder::tag).
    pub fn tag(self, tag: impl Into<String>) -> Self {
        self.of_settings("tag", |settings| settings.tag = Some(tag.into()))
    }

    /// As [`SettingsBuilder::tag_item`](crate::SettingsBuilder::tag_item).
    pub fn tag_item(self, name: impl Into<String>) -> Self {
        self.of_settings("tag_item", |settings| settings.tag_item = Some(name.into()))
    }

    /// As [`BundleBuilder::name`](crate::BundleBuilder::name).
    pub fn name(self, name: impl Into<String>) -> Self {
        self.of_bundle("name", |bundle| bundle.name = Some(name.into()))
    }

    /// As [`BundleBuilder::method`](crate::BundleBuilder::method).
    pub fn method(self, method: Method) -> Self {
        self.of_bundle("method", |bundle| bundle.method = method)
    }

    /// As [`BundleBuilder::accepted_schema`](crate::BundleBuilder::accepted_schema).
    pub fn accepted_schema(self, prefix: impl Into<String>) -> Self {
        self.of_bundle("accepted_schema", |bundle| {
            bundle.accepted_schema = Some(prefix.into());
        })
    }

    /// As [`CollectionBuilder::trust`](crate::CollectionBuilder::trust).
    pub fn trust(self, trust: Trust) -> Self {
        self.of_collection("trust", |collection| collection.trust = trust)
    }

    /// As [`CollectionBuilder::root_sha256`](crate::CollectionBuilder::root_sha256).
    pub fn root_sha256(self, digest: impl Into<String>) -> Self {
        self.of_collection("root_sha256", |collection| {
            collection.root_sha256 = Some(digest.into());
        })
    }

    /// As [`CollectionBuilder::signer`](crate::CollectionBuilder::signer).
    pub fn signer(self, name: impl Into<String>) -> Self {
        self.of_collection("signer", |collection| collection.signer = Some(name.into()))
    }

    /// Tells the server of settings what asks; default "seed".
    pub fn identifier(mut self, identifier: impl Into<String>) -> Self {
        self.identifier = Some(identifier.into());
        self
    }

    /// When the file was downloaded; default: when it was last modified. What is later than now
    /// counts as now.
    pub fn fetched_at(mut self, time: SystemTime) -> Self {
        self.fetched_at_ms = time::to_since_1970(time);
        self
    }

    /// What to download, to any file and in any way. Sends nothing.
    ///
    /// The server of settings is told by query items what asks, and the application's name, version
    /// and build number. They do not make other settings of it.
    ///
    /// # Errors
    /// `InvalidArgument`, also for a collection; `Unavailable` (a library that does not fit this
    /// crate).
    pub fn request(&self, host: &ClientBuilder) -> Result<SeedRequest> {
        let lines = self.part(host, sys::REMORA_SEED_HEADERS)?;
        let headers = lines.lines().filter_map(|line| line.split_once(':'));
        let post = self.part(host, sys::REMORA_SEED_METHOD)? == "POST";
        Ok(SeedRequest {
            url: self.part(host, sys::REMORA_SEED_URL)?,
            method: if post { Method::Post } else { Method::Get },
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
                .collect(),
        })
    }

    /// Checks what was downloaded, and puts it where the next opening finds it. The file is only
    /// read; on any error an older seed stays. The repository's `docs/seeding.md` has the rules.
    ///
    /// Any thread; blocks for file system calls, at most 5 s for another process that saves a seed
    /// of the same source.
    ///
    /// # Errors
    /// `InvalidArgument`, `Storage`, `Permission`, `TooLarge`, `Parse`, `Format`; for a collection
    /// `Future`, what refuses a signature or chain, and `Unavailable`.
    pub fn save(&self, host: &ClientBuilder, file: impl AsRef<Path>) -> Result<()> {
        let file = option_text(Some(file.as_ref().as_os_str().as_bytes()), "file")?;
        self.with_options(host, |config, options| {
            // SAFETY: what both point to lives during the call, and so does the path.
            check(|error| unsafe { sys::remora_seed_save(config, options, address(&file), error) })
        })
    }

    fn part(&self, host: &ClientBuilder, part: i32) -> Result<String> {
        self.with_options(host, |config, options| {
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
        call: impl FnOnce(&sys::remora_config, &sys::remora_seed_options) -> Result<T>,
    ) -> Result<T> {
        if let Some(name) = self.misfit {
            let message = format!("{name} is no option of such a source");
            return Err(Error::invalid_argument(message));
        }
        let identifier = self.identifier.as_deref().map(str::as_bytes);
        let identifier = option_text(identifier, "identifier")?;
        host.with_config(|config| {
            self.source.with_options(|mut options| {
                options.identifier = address(&identifier);
                options.fetched_at_ms = self.fetched_at_ms;
                call(&config, &options)
            })
        })
    }

    fn of_settings(mut self, name: &'static str, change: impl FnOnce(&mut Settings)) -> Self {
        match &mut self.source {
            SeedSource::Settings(settings) => change(settings),
            _ => self.misfit = Some(name),
        }
        self
    }

    fn of_bundle(mut self, name: &'static str, change: impl FnOnce(&mut Bundle)) -> Self {
        match &mut self.source {
            SeedSource::Bundle(bundle) => change(bundle),
            _ => self.misfit = Some(name),
        }
        self
    }

    fn of_collection(mut self, name: &'static str, change: impl FnOnce(&mut Collection)) -> Self {
        match &mut self.source {
            SeedSource::Collection(collection) => change(collection),
            _ => self.misfit = Some(name),
        }
        self
    }
}
