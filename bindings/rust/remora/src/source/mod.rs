// SPDX-License-Identifier: Apache-2.0

//! A source: a set of settings that is refreshed together.

mod activation;
mod get;
mod info;
mod key;
mod overrides;

pub use activation::Activation;
pub use info::SourceInfo;
pub use key::Key;
pub use overrides::Override;

use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::snapshot::Snapshot;

/// A set of settings that arrives together and is refreshed together.
///
/// Clones are the same source. Every method may be called from any thread, including in closures.
/// Dropping the last clone closes the source. Its subscriptions and asynchronous refreshes then end
/// without a further call; the drop waits for their closures that are running on other threads.
/// Subscriptions, requests and iterators keep their source alive.
#[derive(Clone)]
pub struct Source(Arc<SourceHandle>);

struct SourceHandle {
    raw: NonNull<sys::remora_source>,
    /// The library's number; it lives as long as the handle.
    revision: NonNull<AtomicI64>,
    /// Ends after the handle does.
    _client: Client,
}

// SAFETY: every function of the library may be called from any thread, and the handle is released
// when no thread uses it any more; the number is read atomically.
unsafe impl Send for SourceHandle {}
// SAFETY: as above.
unsafe impl Sync for SourceHandle {}

impl Drop for SourceHandle {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and this is its last use.
        unsafe { sys::remora_source_close(self.raw.as_ptr()) };
    }
}

/// Which snapshot is live: two that are equal mean the same one. See [`Source::revision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Revision(i64);

impl Source {
    /// # Safety
    /// `raw` is a source of the client, which no other code closes.
    pub(crate) unsafe fn new(raw: NonNull<sys::remora_source>, client: Client) -> Result<Self> {
        let mut revision = ptr::null();
        // SAFETY: guaranteed by the caller.
        let found = check(|error| unsafe {
            sys::remora_source_get_revision(raw.as_ptr(), &mut revision, error)
        });
        let revision = NonNull::new(revision as *mut AtomicI64).ok_or_else(Error::closed);
        match found.and(revision) {
            Ok(revision) => Ok(Self(Arc::new(SourceHandle {
                raw,
                revision,
                _client: client,
            }))),
            Err(error) => {
                // SAFETY: guaranteed by the caller; no other code has seen it.
                unsafe { sys::remora_source_close(raw.as_ptr()) };
                Err(error)
            }
        }
    }

    /// Returns the handle; it lives as long as `self`.
    pub(crate) fn as_ptr(&self) -> *mut sys::remora_source {
        self.0.raw.as_ptr()
    }

    /// Returns the live snapshot, to read several values that belong together, or one value often.
    ///
    /// A source without data returns an empty snapshot of [`Origin::Nothing`](crate::Origin). Does
    /// not block.
    ///
    /// # Errors
    /// `Closed`.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.acquire(0)
    }

    /// As [`snapshot`](Self::snapshot), but the data as it was received: with the records that
    /// filters hide, and without overrides. For tools.
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
        // SAFETY: it was acquired for us.
        unsafe { Snapshot::from_owned(snapshot) }.ok_or_else(Error::closed)
    }

    /// Returns a number that shows, at the cost of one load, whether a snapshot is still the live
    /// one.
    ///
    /// Take the revision, then the snapshot, and keep both. As long as the revision is the same, so
    /// is the live snapshot. `None` means "unknown": take a snapshot. The source is closed, or this
    /// process does not yet poll for updates by other processes; reading starts the polling.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// let mut seen = source.revision();
    /// let mut snapshot = source.snapshot()?;
    /// // … and whenever a value is wanted:
    /// let now = source.revision();
    /// if now.is_none() || now != seen {
    ///     seen = now;
    ///     snapshot = source.snapshot()?;
    /// }
    /// # assert!(snapshot.is_empty());
    /// # Ok(()) }
    /// ```
    pub fn revision(&self) -> Option<Revision> {
        // SAFETY: the number lives as long as the handle, and is only ever accessed atomically.
        let number = unsafe { self.0.revision.as_ref() }.load(Ordering::Acquire);
        (number >= 0).then_some(Revision(number))
    }

    /// Discards all fetched data: images, also a staged one, a seed, the highest accepted version,
    /// the last error. The packaged data or the default bundle is live again; the next refresh
    /// fetches the whole collection. Overrides stay.
    ///
    /// Use this to recover after a server has signed a wrong timestamp. A running refresh fails
    /// with `Cancelled`. Any thread, including in a closure. Blocks for earlier jobs of the engine
    /// thread, for file system calls, and at most 5 s for another client or process that keeps the
    /// source's files, such as for a refresh.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread); `Storage` or `Permission`: nothing was discarded, and
    /// only the running refresh was cancelled. A failure after the reset is stored, such as to
    /// remove an image, is not an error: see [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn reset(&self) -> Result<()> {
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_reset(self.as_ptr(), error) })
    }
}
