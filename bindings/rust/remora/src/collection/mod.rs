// SPDX-License-Identifier: Apache-2.0

//! Opening a collection. Nothing is checked before `open`.

mod identity;

pub(crate) use identity::collection_identity;
pub use identity::{CollectionIdentity, Trust};

use std::path::PathBuf;
use std::time::Duration;

use crate::client::Client;
use crate::error::Result;
use crate::events::EventClosure;
use crate::opening::{opening_options, packaged_options, Opening, Packaged};
use crate::source::{Activation, Source};
use crate::time;

/// The options of a collection; what is not set has its default.
#[must_use = "a collection is opened by open()"]
pub struct CollectionBuilder {
    opening: Opening<CollectionIdentity>,
    previous_roots: Vec<String>,
    trusted_hosts: Vec<String>,
    packaged: Packaged,
    packaged_attachments: Option<PathBuf>,
    max_future_ms: i64,
    activation: Activation,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Prepares to open a collection of signed records; its keys are the records' ids.
    ///
    /// `name` is `[A-Za-z0-9_-]{1,128}`, not starting with `-`; it is checked by
    /// [`open`](CollectionBuilder::open).
    pub fn collection(&self, name: impl Into<String>) -> CollectionBuilder {
        CollectionBuilder::new(self.clone(), name.into())
    }
}

impl CollectionBuilder {
    fn new(client: Client, name: String) -> Self {
        Self {
            opening: Opening::new(client, CollectionIdentity::new(name)),
            previous_roots: Vec::new(),
            trusted_hosts: Vec::new(),
            packaged: Packaged::default(),
            packaged_attachments: None,
            max_future_ms: 0,
            activation: Activation::Immediate,
            on_event: None,
        }
    }

    collection_identity!(opening.identity);
    opening_options!(opening);
    packaged_options!(
        packaged,
        r#"Start values: a file `{"data": [records], "timestamp": N}`."#
    );

    /// Adds a pin that [`root_sha256`](Self::root_sha256) had before, at most 8: what is stored
    /// under it stays readable until the first fetch under the present one. The repository's
    /// `docs/trust.md` has the rules.
    pub fn previous_root(mut self, digest: impl Into<String>) -> Self {
        self.previous_roots.push(digest.into());
        self
    }

    /// Adds a host that may serve certificate chains, besides the server's own.
    pub fn trusted_host(mut self, host: impl Into<String>) -> Self {
        self.trusted_hosts.push(host.into());
        self
    }

    /// Sets the folder of packaged attachments: files that are named by the id of their record. A
    /// file with the size and SHA-256 in its record is opened without a request.
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

    /// Sets how far ahead of the clock a document's timestamp may be; `None` is without limit.
    /// Default 24 h.
    pub fn max_future(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.max_future_ms = time::limit(limit.into());
        self
    }

    /// Sets when what is fetched becomes live; default [`Activation::Immediate`].
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Opens the collection and makes its newest local data live: cached or packaged, whichever
    /// has the higher timestamp. Sends no request unless [`fetch_at_open`](Self::fetch_at_open) is `true`.
    ///
    /// Opening a collection of the same identity (server, bucket, collection and trust policy)
    /// twice returns two handles of one source; the packaged data and attachments, previous roots,
    /// limits, interval, persistence and activation of the first hold.
    ///
    /// Any thread; blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for packaged data `Storage` (unreadable), `Parse`, `Format` or
    /// `TooLarge` (256 MiB); for an interval or a first subscriber `Unavailable` (no thread). A
    /// damaged cache is not an error: see [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn open(self) -> Result<Source> {
        // SAFETY: `set` points to what it puts into the texts.
        unsafe {
            self.opening.open(self.on_event, |options, texts| {
                options.previous_roots = texts.array(&self.previous_roots, "previous root")?;
                options.trusted_hosts = texts.array(&self.trusted_hosts, "trusted host")?;
                (
                    options.packaged_file,
                    options.packaged_data,
                    options.packaged_size,
                ) = self.packaged.raw(texts)?;
                options.packaged_attachments =
                    texts.option(&self.packaged_attachments, "packaged_attachments")?;
                options.max_future_ms = self.max_future_ms;
                options.activation = self.activation.raw();
                Ok(())
            })
        }
    }
}
