// SPDX-License-Identifier: Apache-2.0

//! The client: what owns storage, threads' work and sources.

mod attempt;
mod builder;
mod connection;
mod context;
mod dispatch;
mod handle;
mod log;
mod preconnect;
mod version;

pub use attempt::{Attempt, Outcome, SourceKind};
pub use builder::ClientBuilder;
pub use dispatch::Callbacks;
pub use log::LogLevel;
pub use preconnect::{preconnect, Preconnect};
pub use version::version;

use std::sync::Arc;

use handle::ClientHandle;

/// Owns the storage directory and opens sources. Usually one per program.
///
/// Clones are the same client. It ends with [`close`](Self::close), or when the last clone and the
/// last source, subscription, request and iterator made from it are dropped: each of them keeps its
/// client alive. The end waits as `close` does.
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
    /// Ends the client, even if other owners exist: requests end within 200 ms, waiting calls
    /// return [`Closed`](crate::ErrorKind::Closed), no callback starts afterwards, and every
    /// closure is dropped.
    ///
    /// Clones and sources return `Closed` from then on, and getters of sources `None`; snapshots
    /// stay readable. Any thread. Blocks for up to 200 ms, and for a closure of this client that is
    /// running on another thread. Inside one of its closures it returns at once and takes effect
    /// when that closure returns. While another thread is inside [`dispatch`](Self::dispatch),
    /// [`sync`](Self::sync) or opens a source, the client ends when that call returns.
    pub fn close(self) {
        self.handle.close();
    }
}
