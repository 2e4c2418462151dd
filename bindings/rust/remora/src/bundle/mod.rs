// SPDX-License-Identifier: Apache-2.0

//! Opening a bundle. Nothing is checked before `open`.

mod identity;
mod namespace;

pub(crate) use identity::bundle_identity;
pub use identity::{BundleIdentity, Method};
pub use namespace::Namespace;

use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::Result;
use crate::events::{Event, EventClosure};
use crate::ffi::Texts;
use crate::opening::{open_source, Identity};
use crate::source::Source;
use crate::time;

/// The options of a bundle; what is not set has its default.
#[must_use = "a bundle is opened by open()"]
pub struct BundleBuilder {
    client: Client,
    identity: BundleIdentity,
    fetches_at_open: bool,
    default_bundle: Option<String>,
    default_version: i64,
    refresh_interval_ms: i64,
    persists_overrides: bool,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Begins the opening of a bundle, a versioned JSON document of namespaces; its keys are the
    /// namespaces.
    ///
    /// `url` is http or https, without user name, password and fragment; without a scheme it gets
    /// https. With `None` a bundle is its defaults and overrides, and nothing is fetched. It is
    /// checked by [`open`](BundleBuilder::open).
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
    pub(crate) fn new(client: Client, url: Option<String>) -> Self {
        Self {
            client,
            identity: BundleIdentity::new(url),
            fetches_at_open: true,
            default_bundle: None,
            default_version: 0,
            refresh_interval_ms: 0,
            persists_overrides: false,
            on_event: None,
        }
    }

    bundle_identity!(identity);

    /// Whether opening begins a refresh, for which nobody waits; default `true`.
    pub fn fetch_at_open(mut self, fetches: bool) -> Self {
        self.fetches_at_open = fetches;
        self
    }

    /// JSON of what is live before anything was fetched, and of what fetched namespaces inherit: a
    /// bundle, which needs neither schema nor version, or the array of its elements. Default: none.
    pub fn default_bundle(mut self, json: impl Into<String>) -> Self {
        self.default_bundle = Some(json.into());
        self
    }

    /// The version of the default bundle, 1 or higher: only what is higher is used of what is fetched.
    /// Default, and 0: what the default bundle states itself, or else lower than any.
    pub fn default_version(mut self, version: i64) -> Self {
        self.default_version = version;
        self
    }

    /// Refreshes without being asked; as
    /// [`CollectionBuilder::refresh_interval`](crate::CollectionBuilder::refresh_interval).
    pub fn refresh_interval(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.refresh_interval_ms = time::limit(interval.into());
        self
    }

    /// Whether overrides are stored, and hold at the next open; default `false`.
    pub fn persist_overrides(mut self, persists: bool) -> Self {
        self.persists_overrides = persists;
        self
    }

    /// A first subscriber of the whole source: it is told the state at open before anything
    /// fetched, unless nothing is cached and there are no defaults. As
    /// [`CollectionBuilder::on_event`](crate::CollectionBuilder::on_event) otherwise.
    pub fn on_event(mut self, closure: impl FnMut(&Event<'_>) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(closure));
        self
    }

    /// Opens the bundle and makes the cached one live, or else its defaults; then begins a refresh,
    /// unless [`fetch_at_open`](Self::fetch_at_open) says no.
    ///
    /// The keys are the namespaces; a value is the element of its namespace. The repository's
    /// `docs/bundles.md` has what they inherit, and what removes one.
    ///
    /// Opening a bundle of the same identity (URL, method, name and accepted schema) twice gives
    /// two handles of one source; the defaults, interval and persistence of the first hold.
    ///
    /// Any thread; blocks for file system calls. The first refresh of a process loads libcurl and
    /// libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for the default bundle `Parse`, `Format` (with the place of what
    /// a fetched bundle would lose, too) or `TooLarge`; for an interval or a first subscriber
    /// `Unavailable` (no thread). A refresh that cannot begin is no error: it fails. Nor is a
    /// damaged cache: see [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn open(self) -> Result<Source> {
        let mut texts = Texts::default();
        let mut options = self.identity.options(&mut texts)?;
        options.fetch_at_open = if self.fetches_at_open { 0 } else { -1 };
        options.default_bundle = texts.option(&self.default_bundle, "default_bundle")?;
        options.default_version = self.default_version;
        options.refresh_interval_ms = self.refresh_interval_ms;
        options.persist_overrides = self.persists_overrides.into();
        // SAFETY: the client lives during the call, texts until it has ended; the closure is the
        // library's from there on, also when it fails, and the source that it stores is ours.
        unsafe {
            open_source(
                self.client,
                self.on_event,
                |client, (on_event, closure), source, error| {
                    options.on_event = on_event;
                    options.on_event_user_data = closure.pointer;
                    options.on_event_free_user_data = closure.free;
                    sys::remora_open_bundle(client, &options, source, error)
                },
            )
        }
    }
}
