// SPDX-License-Identifier: Apache-2.0

//! Opening a collection. Nothing is checked before `open`.

use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr::{self, NonNull};
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::event::{self, Event, EventClosure};
use crate::source::Source;
use crate::text::{address, option_text, TextArray};
use crate::time;
use crate::trampoline::Guarded;

/// Whether a document's signature must verify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trust {
    /// Signature and chain must verify. The default.
    Required,
    /// Nothing is verified: for servers that do not sign.
    Off,
}

/// The options of a collection; what is not set has its default.
#[must_use = "a collection is opened by open()"]
pub struct CollectionBuilder {
    client: Client,
    name: String,
    server: Option<String>,
    bucket: Option<String>,
    trust: Trust,
    root_sha256: Option<String>,
    signer: Option<String>,
    trusted_hosts: Vec<String>,
    packaged_file: Option<PathBuf>,
    packaged_data: Option<Vec<u8>>,
    max_future_ms: i64,
    refresh_interval_ms: i64,
    on_event: Option<EventClosure>,
}

impl CollectionBuilder {
    pub(crate) fn new(client: Client, name: String) -> Self {
        Self {
            client,
            name,
            server: None,
            bucket: None,
            trust: Trust::Required,
            root_sha256: None,
            signer: None,
            trusted_hosts: Vec::new(),
            packaged_file: None,
            packaged_data: None,
            max_future_ms: 0,
            refresh_interval_ms: 0,
            on_event: None,
        }
    }

    /// The server, as in [`ClientBuilder::server`](crate::ClientBuilder::server); default: the
    /// client's.
    pub fn server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// The bucket; default: the client's.
    pub fn bucket(mut self, bucket: impl Into<String>) -> Self {
        self.bucket = Some(bucket.into());
        self
    }

    /// Whether signatures must verify; default [`Trust::Required`].
    pub fn trust(mut self, trust: Trust) -> Self {
        self.trust = trust;
        self
    }

    /// The SHA-256 of the root certificate (DER) that signers must chain to: 64 hex digits, colons
    /// allowed. Default: the root of Mozilla's that belongs to the server.
    pub fn root_sha256(mut self, digest: impl Into<String>) -> Self {
        self.root_sha256 = Some(digest.into());
        self
    }

    /// The DNS name that the leaf certificate must carry; default: as the bucket asks.
    pub fn signer(mut self, name: impl Into<String>) -> Self {
        self.signer = Some(name.into());
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
    /// twice gives two handles of one source; the packaged data, limits and
    /// interval of the first hold.
    ///
    /// Any thread; blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`; for packaged data `Storage` (unreadable), `Parse`, `Format` or
    /// `TooLarge` (256 MiB); for an interval or a first subscriber `Unavailable` (no thread). A damaged cache is no error: see
    /// [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn open(self) -> Result<Source> {
        let text =
            |text: &Option<String>, name| option_text(text.as_deref().map(str::as_bytes), name);
        let collection = option_text(Some(self.name.as_bytes()), "collection")?;
        let server = text(&self.server, "server")?;
        let bucket = text(&self.bucket, "bucket")?;
        let root_sha256 = text(&self.root_sha256, "root_sha256")?;
        let signer = text(&self.signer, "signer")?;
        let trusted_hosts = TextArray::new(&self.trusted_hosts, "trusted host")?;
        let packaged_file = self
            .packaged_file
            .as_ref()
            .map(|path| path.as_os_str().as_bytes());
        let packaged_file = option_text(packaged_file, "packaged_file")?;

        let mut options = default_options();
        options.collection = address(&collection);
        options.server = address(&server);
        options.bucket = address(&bucket);
        options.trust = match self.trust {
            Trust::Required => sys::REMORA_TRUST_REQUIRED,
            Trust::Off => sys::REMORA_TRUST_OFF,
        };
        options.root_sha256 = address(&root_sha256);
        options.signer = address(&signer);
        options.trusted_hosts = trusted_hosts.as_ptr();
        options.packaged_file = address(&packaged_file);
        if let Some(bytes) = &self.packaged_data {
            options.packaged_data = bytes.as_ptr().cast();
            options.packaged_size = bytes.len();
        }
        options.max_future_ms = self.max_future_ms;
        options.refresh_interval_ms = self.refresh_interval_ms;
        let on_event = self.on_event;
        let raw = self.client.handle.visit(|client| {
            if let Some(closure) = on_event {
                options.on_event = Some(event::tell);
                options.on_event_user_data = Guarded::user_data(closure, Default::default());
                options.on_event_free_user_data = Some(Guarded::<EventClosure>::free);
            }
            let mut source = ptr::null_mut();
            // SAFETY: the client lives during the visit, texts and data until the call has ended;
            // the closure is the library's from here on, also when it fails.
            check(|error| unsafe {
                sys::remora_open_collection(client, &options, &mut source, error)
            })?;
            NonNull::new(source).ok_or_else(Error::closed)
        })?;
        // SAFETY: it was opened for us.
        unsafe { Source::new(raw, self.client) }
    }
}

fn default_options() -> sys::remora_collection_options {
    let size = mem::size_of::<sys::remora_collection_options>();
    // SAFETY: zero bytes are options of NULLs and zeros.
    let mut options: sys::remora_collection_options = unsafe { mem::zeroed() };
    // SAFETY: it has that size.
    unsafe { sys::remora_collection_options_init(&mut options, size) };
    options
}
