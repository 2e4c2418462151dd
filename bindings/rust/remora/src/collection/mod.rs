// SPDX-License-Identifier: Apache-2.0

//! Opening a collection. Nothing is checked before `open`.

mod identity;

pub(crate) use identity::collection_identity;
pub use identity::{CollectionIdentity, Trust};

use std::path::PathBuf;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::Result;
use crate::events::{Event, EventClosure};
use crate::ffi::Texts;
use crate::opening::{open_source, Identity};
use crate::source::{Activation, Source};
use crate::time;

/// The options of a collection; what is not set has its default.
#[must_use = "a collection is opened by open()"]
pub struct CollectionBuilder {
    client: Client,
    identity: CollectionIdentity,
    previous_roots: Vec<String>,
    trusted_hosts: Vec<String>,
    packaged_file: Option<PathBuf>,
    packaged_data: Option<Vec<u8>>,
    packaged_attachments: Option<PathBuf>,
    max_future_ms: i64,
    refresh_interval_ms: i64,
    persists_overrides: bool,
    activation: Activation,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Begins the opening of a collection of signed records; its keys are the records' ids.
    ///
    /// `name` is `[A-Za-z0-9_-]{1,128}`, not starting with `-`; it is checked by
    /// [`open`](CollectionBuilder::open).
    pub fn collection(&self, name: impl Into<String>) -> CollectionBuilder {
        CollectionBuilder::new(self.clone(), name.into())
    }
}

impl CollectionBuilder {
    pub(crate) fn new(client: Client, name: String) -> Self {
        Self {
            client,
            identity: CollectionIdentity::new(name),
            previous_roots: Vec::new(),
            trusted_hosts: Vec::new(),
            packaged_file: None,
            packaged_data: None,
            packaged_attachments: None,
            max_future_ms: 0,
            refresh_interval_ms: 0,
            persists_overrides: false,
            activation: Activation::Immediate,
            on_event: None,
        }
    }

    collection_identity!(identity);

    /// Adds a pin that [`root_sha256`](Self::root_sha256) had before, at most 8: what is stored
    /// under it stays readable until the first fetch under the present one. The repository's
    /// `docs/trust.md` has the rules.
    pub fn previous_root(mut self, digest: impl Into<String>) -> Self {
        self.previous_roots.push(digest.into());
        self
    }

    /// Adds a host that chains may come from, besides the server's own.
    pub fn trusted_host(mut self, host: impl Into<String>) -> Self {
        self.trusted_hosts.push(host.into());
        self
    }

    /// Start values: a file `{"data": [records], "timestamp": N}`. Not together with
    /// [`packaged_data`](Self::packaged_data).
    pub fn packaged_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.packaged_file = Some(path.into());
        self
    }

    /// Start values, as bytes of the same form; they are copied.
    pub fn packaged_data(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.packaged_data = Some(bytes.into());
        self
    }

    /// Attachments that the host brings: a folder of files, each named by the id of its record. One
    /// that is what its record says is opened in its place, without a request.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let icons = client
    ///     .collection("icons")
    ///     .packaged_data(r#"{"data": [], "timestamp": 1}"#)
    ///     .packaged_attachments("/usr/share/host/icons")
    ///     .open()?;
    /// # assert!(icons.snapshot()?.is_empty());
    /// # Ok(()) }
    /// ```
    pub fn packaged_attachments(mut self, folder: impl Into<PathBuf>) -> Self {
        self.packaged_attachments = Some(folder.into());
        self
    }

    /// How far ahead of the clock a document's timestamp may be; `None` is without limit. Default
    /// 24 h.
    pub fn max_future(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.max_future_ms = time::limit(limit.into());
        self
    }

    /// Refreshes without being asked, once in about so long; at least a second. Default and `None`:
    /// never.
    ///
    /// The first comes after a random part of the interval; who wants settings at once refreshes or
    /// waits as well. It ends with the source. The repository's `docs/refreshing.md` has the rules.
    pub fn refresh_interval(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.refresh_interval_ms = time::limit(interval.into());
        self
    }

    /// Whether overrides are stored, and hold at the next open; default `false`.
    pub fn persist_overrides(mut self, persists: bool) -> Self {
        self.persists_overrides = persists;
        self
    }

    /// When what is fetched becomes live; default [`Activation::Immediate`].
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// A first subscriber of the whole source: it is told the state at open, cause
    /// [`Opened`](crate::Cause::Opened), before anything fetched.
    ///
    /// It ends with the source. After a panic it is not called again. A closure that owns a clone
    /// of its own source keeps that alive until [`Client::close`].
    pub fn on_event(mut self, closure: impl FnMut(&Event<'_>) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(closure));
        self
    }

    /// Opens the collection and makes its newest local data live: cached or packaged, whichever
    /// has the higher timestamp. Sends no request.
    ///
    /// Opening a collection of the same identity (server, bucket, collection and trust policy)
    /// twice gives two handles of one source; the packaged data and attachments, previous roots,
    /// limits, interval, persistence and activation of the first hold.
    ///
    /// Any thread; blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for packaged data `Storage` (unreadable), `Parse`, `Format` or
    /// `TooLarge` (256 MiB); for an interval or a first subscriber `Unavailable` (no thread). A damaged cache is no error: see
    /// [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn open(self) -> Result<Source> {
        let mut texts = Texts::default();
        let mut options = self.identity.options(&mut texts)?;
        options.previous_roots = texts.array(&self.previous_roots, "previous root")?;
        options.trusted_hosts = texts.array(&self.trusted_hosts, "trusted host")?;
        options.packaged_file = texts.option(&self.packaged_file, "packaged_file")?;
        if let Some(bytes) = &self.packaged_data {
            options.packaged_data = bytes.as_ptr().cast();
            options.packaged_size = bytes.len();
        }
        options.packaged_attachments =
            texts.option(&self.packaged_attachments, "packaged_attachments")?;
        options.max_future_ms = self.max_future_ms;
        options.refresh_interval_ms = self.refresh_interval_ms;
        options.persist_overrides = self.persists_overrides.into();
        options.activation = self.activation.raw();
        // SAFETY: the client lives during the call, texts and data until it has ended; the closure is the
        // library's from there on, also when it fails, and the source that it stores is ours.
        unsafe {
            open_source(
                self.client,
                self.on_event,
                |client, (on_event, closure), source, error| {
                    options.on_event = on_event;
                    options.on_event_user_data = closure.pointer;
                    options.on_event_free_user_data = closure.free;
                    sys::remora_open_collection(client, &options, source, error)
                },
            )
        }
    }
}
