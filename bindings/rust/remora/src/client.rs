// SPDX-License-Identifier: Apache-2.0

//! The client: what owns storage, threads' work and sources.

use std::path::Path;
use std::sync::Arc;

use crate::client_builder::ClientBuilder;
use crate::client_handle::ClientHandle;
use crate::collection::CollectionBuilder;

/// Owns the storage directory and opens sources. Usually one per program.
///
/// Clones are the same client. It ends with [`close`](Self::close), or when the last clone and the
/// last source, subscription, request and iterator made from it are gone: each of them keeps its client
/// alive. The end waits as `close` does.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// let client = remora::Client::in_memory().build()?;
/// let source = client.collection("limits").open()?;
/// assert_eq!(source.get_int("uploads", "/per_day"), None);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) handle: Arc<ClientHandle>,
}

impl Client {
    /// Begins a client that keeps its data in a directory on a local file system.
    ///
    /// The directory is created (0700 less the umask, with its parents) when missing. Processes of
    /// one user may share it.
    pub fn builder(storage_dir: impl AsRef<Path>) -> ClientBuilder {
        ClientBuilder::new(storage_dir.as_ref())
    }

    /// Begins a client that keeps everything in memory and writes nothing.
    pub fn in_memory() -> ClientBuilder {
        ClientBuilder::new(Path::new(":memory:"))
    }

    /// Begins the opening of a collection of signed records; its keys are the records' ids.
    ///
    /// `name` is `[A-Za-z0-9_-]{1,128}`, not starting with `-`; it is checked by
    /// [`open`](CollectionBuilder::open).
    pub fn collection(&self, name: impl Into<String>) -> CollectionBuilder {
        CollectionBuilder::new(self.clone(), name.into())
    }

    /// Ends the client, whoever else holds it: requests end within 200 ms, who waits is answered
    /// [`Closed`](crate::ErrorKind::Closed), no callback begins afterwards, and every closure is
    /// dropped.
    ///
    /// Clones and sources answer `Closed` from then on, and getters of sources `None`; snapshots
    /// go on reading. Any thread. Blocks for up to 200 ms, and for a closure of this client that is
    /// running on another thread. Inside one of its closures it returns at once and takes effect
    /// when that closure returns. While another thread is inside [`dispatch`](Self::dispatch),
    /// [`sync`](Self::sync) or opens a source, the end comes when that call returns.
    pub fn close(self) {
        self.handle.close();
    }
}
