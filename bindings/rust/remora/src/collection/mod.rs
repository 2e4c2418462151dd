// SPDX-License-Identifier: Apache-2.0

//! Opening a collection. No option is checked before `open`.

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

/// The options of a collection.
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
    /// `name` is `[A-Za-z0-9_-]{1,128}`, not starting with `-`;
    /// [`open`](CollectionBuilder::open) checks it.
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
        r#"Sets a file with packaged data, `{"data": [records], "timestamp": N}`."#
    );

    /// Adds an earlier value of [`root_sha256`](Self::root_sha256), at most 8 values. Data that was
    /// stored with this root certificate stays readable until the first fetch with the current
    /// root. See `docs/trust.md` in the repository.
    pub fn previous_root(mut self, digest: impl Into<String>) -> Self {
        self.previous_roots.push(digest.into());
        self
    }

    /// Adds a host from which certificate chains are accepted, besides the server.
    pub fn trusted_host(mut self, host: impl Into<String>) -> Self {
        self.trusted_hosts.push(host.into());
        self
    }

    /// Sets a folder of packaged attachments. The name of each file is the id of its record. A file
    /// with the size and SHA-256 that the record states is opened without a request.
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

    /// Sets how far in the future the timestamp of fetched data may be; `None` turns the limit off.
    /// Default: 24 h.
    pub fn max_future(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.max_future_ms = time::limit(limit.into());
        self
    }

    /// Sets when reads return fetched data; default [`Activation::Immediate`].
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = activation;
        self
    }

    /// Opens the collection. Reads return its newest local data: cached or packaged, whichever has
    /// the higher timestamp. Sends no request unless [`fetch_at_open`](Self::fetch_at_open) is
    /// `true`.
    ///
    /// If a collection with the same identity (server, bucket, name and trust options) is open, the
    /// result is another handle of the same source, and the other options have no effect.
    ///
    /// Any thread; blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for packaged data `Storage` (unreadable), `Parse`, `Format` or
    /// `TooLarge` (256 MiB); with `refresh_interval` or `on_event` `Unavailable` (no thread). A
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::Texts;
    use std::ffi::CStr;

    #[test]
    fn limits_of_the_content_are_passed_to_the_library() {
        let client = Client::in_memory().build().unwrap();
        let mut builder = client.collection("things");
        let mut texts = Texts::default();
        assert!(builder.opening.raw(&mut texts).unwrap().schema.is_null());
        builder = builder.min_keys(3).min_keys_percent(u32::MAX);
        builder = builder.schema(r#"{"type": "object"}"#);
        let raw = builder.opening.raw(&mut texts).unwrap();
        assert_eq!((raw.min_keys, raw.min_keys_percent), (3, i32::MAX));
        // SAFETY: the text lives as long as `texts`.
        let schema = unsafe { CStr::from_ptr(raw.schema) };
        assert_eq!(schema.to_str(), Ok(r#"{"type": "object"}"#));
        let error = builder.schema("\0").opening.raw(&mut texts).unwrap_err();
        assert_eq!(error.message(), "schema contains a NUL");
    }
}
