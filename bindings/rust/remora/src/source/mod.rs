// SPDX-License-Identifier: Apache-2.0

//! A source: a set of settings that is fetched as a unit.

mod activation;
mod explanation;
mod get;
mod info;
mod key;
mod overrides;

pub use activation::Activation;
pub use explanation::Explanation;
pub use info::{Freshness, SourceInfo};
pub use key::Key;
pub use overrides::{Json, NewOverride, Override};

use std::ptr::{self, NonNull};
use std::sync::Arc;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::snapshot::Snapshot;

/// A set of settings that is fetched as a unit: a collection, a bundle or a settings dictionary.
///
/// Clones are the same source. Every method may be called from any thread, including in closures.
/// Dropping the last clone closes the source: its closures are not called any more, and the drop
/// waits for closures that are running on other threads. Subscriptions, requests and iterators keep
/// their source open.
#[derive(Clone)]
pub struct Source(Arc<SourceHandle>);

struct SourceHandle {
    raw: NonNull<sys::remora_source>,
    /// Dropped after the handle.
    client: Client,
}

// SAFETY: every function of the library may be called from any thread, and the handle is released
// when no thread uses it any more.
unsafe impl Send for SourceHandle {}
// SAFETY: as above.
unsafe impl Sync for SourceHandle {}

impl Drop for SourceHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and this is its last use.
        unsafe { sys::remora_source_close(self.raw.as_ptr()) };
    }
}

impl Source {
    /// # Safety
    /// `raw` must be a handle of the client that no other code closes.
    pub(crate) unsafe fn new(raw: NonNull<sys::remora_source>, client: Client) -> Self {
        Self(Arc::new(SourceHandle { raw, client }))
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0.client
    }

    /// Returns the handle, which lives as long as `self`.
    pub(crate) fn as_ptr(&self) -> *mut sys::remora_source {
        self.0.raw.as_ptr()
    }

    /// Returns the live snapshot. Use it to read several values that belong together.
    ///
    /// A source without data returns an empty snapshot of [`Origin::Nothing`](crate::Origin). Does
    /// not block.
    ///
    /// # Errors
    /// `Closed`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.acquire(0)
    }

    /// Returns the live snapshot with the data as it was received: with the records that filters
    /// hide, and without overrides and defaults. For tools.
    ///
    /// # Errors
    /// `Closed`.
    pub fn unfiltered_snapshot(&self) -> Result<Snapshot> {
        self.acquire(sys::REMORA_SNAPSHOT_UNFILTERED)
    }

    fn acquire(&self, flags: u32) -> Result<Snapshot> {
        let mut snapshot = ptr::null_mut();
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe {
            sys::remora_snapshot_acquire(self.as_ptr(), flags, &mut snapshot, error)
        })?;
        // SAFETY: the library has acquired the snapshot for us.
        unsafe { Snapshot::from_owned(snapshot) }.ok_or_else(Error::closed)
    }

    /// Returns a counter that increases each time another snapshot becomes live. While it stays the
    /// same, a program need not compute anything from the values again. Read the counter before the
    /// values. Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// let mut seen = None;
    /// # let mut computed = 0;
    /// for _frame in 0..60 {
    ///     let count = source.change_count();
    ///     if seen.replace(count) != Some(count) {
    ///         // Compute something from the values.
    /// #       computed += 1;
    ///     }
    /// }
    /// # assert_eq!(computed, 1);
    /// # Ok(()) }
    /// ```
    pub fn change_count(&self) -> u64 {
        // SAFETY: the source lives as long as `self`.
        let count = unsafe { sys::remora_source_get_change_count(self.as_ptr()) };
        count.unsigned_abs()
    }

    /// Discards all fetched data: stored and staged versions, a seed, the highest accepted version,
    /// the last error. The packaged data or the default bundle is live again; the next refresh
    /// fetches everything. Overrides stay.
    ///
    /// Use this method to recover after a server has signed a wrong timestamp. A running refresh
    /// fails with `Cancelled`. Any thread, also in a closure that Remora calls. Blocks for earlier jobs of the
    /// thread `remora-engine`, for file system calls, and at most 5 s for another client or process
    /// that has locked the source's files, such as for a refresh.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread); `Storage` or `Permission`: nothing was discarded, and
    /// only the running refresh was cancelled. If the reset has taken effect, but a file could
    /// not be removed, returns `Ok`: see [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn reset(&self) -> Result<()> {
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_reset(self.as_ptr(), error) })
    }
}
