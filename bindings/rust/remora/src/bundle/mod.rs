// SPDX-License-Identifier: Apache-2.0

//! Opening a bundle. Nothing is checked before `open`.

mod identity;
mod namespace;

pub(crate) use identity::bundle_identity;
pub use identity::{BundleIdentity, Method};
pub use namespace::Namespace;

use crate::client::Client;
use crate::error::Result;
use crate::events::EventClosure;
use crate::opening::{opening_options, Opening};
use crate::source::Source;

/// The options of a bundle.
#[must_use = "a bundle is opened by open()"]
pub struct BundleBuilder {
    opening: Opening<BundleIdentity>,
    default_bundle: Option<String>,
    default_version: i64,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Prepares to open a bundle: a versioned JSON document in the format of the Snowplow trackers
    /// (analytics libraries), whose keys are namespaces.
    ///
    /// `url` is an http or https URL without user name, password and fragment; the default scheme is
    /// https. With `None`, the bundle has only its default and overrides.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let source = client
    ///     .bundle("https://settings.example/bundle.json")
    ///     .default_bundle(r#"[{"namespace": "app", "networkConfiguration": {"endpoint": "https://c.example"}}]"#)
    ///     .fetch_at_open(false)
    ///     .open()?;
    /// let endpoint = source.get_string("app", "/networkConfiguration/endpoint");
    /// assert_eq!(endpoint.as_deref(), Some("https://c.example"));
    /// # Ok(()) }
    /// ```
    pub fn bundle<'u>(&self, url: impl Into<Option<&'u str>>) -> BundleBuilder {
        BundleBuilder::new(self.clone(), url.into().map(str::to_string))
    }
}

impl BundleBuilder {
    fn new(client: Client, url: Option<String>) -> Self {
        Self {
            opening: Opening::new(client, BundleIdentity::new(url)),
            default_bundle: None,
            default_version: 0,
            on_event: None,
        }
    }

    bundle_identity!(opening.identity);
    opening_options!(opening);

    /// Sets the default bundle as JSON: a bundle, or the array of its elements. It is live until a
    /// bundle has been fetched. After that, a property that is missing in a fetched namespace is
    /// taken from the same namespace of the default bundle. Default: none.
    pub fn default_bundle(mut self, json: impl Into<String>) -> Self {
        self.default_bundle = Some(json.into());
        self
    }

    /// Sets the version of the default bundle, 1 or higher. A fetched bundle is used only if its
    /// version is higher. Default, also for 0: the version in the default bundle. If the default
    /// bundle has no version, every fetched bundle is used.
    pub fn default_version(mut self, version: i64) -> Self {
        self.default_version = version;
        self
    }

    /// Opens the bundle. Reads return the cached bundle, or the default bundle if none is cached.
    /// Starts a refresh in the background, unless [`fetch_at_open`](Self::fetch_at_open) is
    /// `false`.
    ///
    /// Each key is a namespace, and its value the element of the bundle for this namespace. The repository's
    /// `docs/bundles.md` describes inheritance and removal.
    ///
    /// If a bundle with the same identity (URL, method, name and accepted schema) is open, the result
    /// is another handle of the same source, and the other options have no effect.
    ///
    /// Any thread; blocks for file system calls. The first refresh of a process loads libcurl and
    /// libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for the default bundle `Parse`, `Format` (also for a fault that
    /// only causes a warning in a fetched bundle) or `TooLarge`; with `refresh_interval` or `on_event`
    /// `Unavailable` (no thread). This call reports neither a refresh that cannot start nor a damaged
    /// cache: see [`SourceInfo`](crate::SourceInfo).
    pub fn open(self) -> Result<Source> {
        // SAFETY: `set` points to what it puts into the texts.
        unsafe {
            self.opening.open(self.on_event, |options, texts| {
                options.default_bundle = texts.option(&self.default_bundle, "default_bundle")?;
                options.default_version = self.default_version;
                Ok(())
            })
        }
    }
}
