// SPDX-License-Identifier: Apache-2.0

//! The client, which owns the storage directory and opens sources.

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
pub use context::filter_matches;
pub use dispatch::Callbacks;
pub use log::LogLevel;
pub use preconnect::{preconnect, Preconnect};
pub use version::version;

use std::sync::Arc;

use handle::ClientHandle;

/// A client, which owns the storage directory and opens sources. Most programs have one.
///
/// Clones are the same client. Sources, keys, subscriptions, requests and iterators keep the client
/// open. Dropping the last of these objects and clones closes the client, and waits like
/// [`close`](Self::close).
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
    /// Closes the client, even if clones and sources exist. Requests are cancelled, calls that wait
    /// return [`Closed`](crate::ErrorKind::Closed), and closures are dropped and not called any
    /// more.
    ///
    /// From then on, methods of clones and sources return `Closed`, and getters of sources return
    /// `None`. Snapshots stay readable. Any thread. Blocks for up to 200 ms, and for a closure of
    /// this client that is running on another thread. Inside a closure of the client, the call
    /// returns at once and takes effect when the closure returns. While another thread is inside
    /// [`dispatch`](Self::dispatch), [`sync`](Self::sync) or the opening of a source, the client is
    /// closed when that call returns.
    pub fn close(self) {
        self.handle.close();
    }
}
