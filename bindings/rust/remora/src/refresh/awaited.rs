// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot, with the live one to fall back on.

use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::defaults;
use crate::snapshot::Snapshot;
use crate::source::Source;
use crate::time;

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wait {
    /// A refresh; of settings that are still fresh ([`ttl`](crate::SettingsBuilder::ttl)) nothing.
    Refreshed,
    /// Data of any age: sends no request when the source has some, packaged or synced, even to
    /// nothing.
    AnyData,
}

/// The result of a wait.
#[derive(Clone, Debug)]
#[must_use = "a wait may have failed"]
pub enum Awaited {
    /// The wait succeeded, with its snapshot.
    Ready(Snapshot),
    /// The wait failed. The snapshot is the one that was live when the wait began.
    Fallback(Snapshot, Error),
    /// The wait failed without a snapshot, because the client is closed.
    Failed(Error),
}

impl Wait {
    /// As the library takes it.
    pub(crate) fn raw(self) -> sys::remora_refresh_options {
        // SAFETY: zero bytes are options of zeros.
        let mut options = unsafe { defaults::<sys::remora_refresh_options>() };
        options.only_if_empty = (self == Wait::AnyData).into();
        options
    }
}

impl Awaited {
    pub(crate) fn new(waited: Result<()>, snapshot: Option<Snapshot>) -> Self {
        match (waited, snapshot) {
            (Ok(()), Some(snapshot)) => Awaited::Ready(snapshot),
            (Ok(()), None) => Awaited::Failed(Error::closed()),
            (Err(error), Some(snapshot)) => Awaited::Fallback(snapshot, error),
            (Err(error), None) => Awaited::Failed(error),
        }
    }

    /// Returns the snapshot, whether or not it is what was waited for.
    ///
    /// # Errors
    /// Why there is none.
    pub fn snapshot(self) -> Result<Snapshot> {
        match self {
            Awaited::Ready(snapshot) | Awaited::Fallback(snapshot, _) => Ok(snapshot),
            Awaited::Failed(error) => Err(error),
        }
    }

    /// Returns the snapshot that was waited for, without the fallback.
    ///
    /// # Errors
    /// Why the wait failed.
    pub fn ready(self) -> Result<Snapshot> {
        match self {
            Awaited::Ready(snapshot) => Ok(snapshot),
            Awaited::Fallback(_, error) | Awaited::Failed(error) => Err(error),
        }
    }

    /// Returns why the wait failed, if it did.
    pub fn error(&self) -> Option<&Error> {
        match self {
            Awaited::Ready(_) => None,
            Awaited::Fallback(_, error) | Awaited::Failed(error) => Some(error),
        }
    }
}

impl Source {
    /// Waits for a fresh snapshot: the refreshed one if it arrives in time, else the one that was
    /// live at the call.
    ///
    /// `timeout` is the caller's own: `None` leaves it to the transport's limits, zero returns the
    /// live snapshot at once, without a request. The error is the one that
    /// [`refresh`](Self::refresh) would return. Any thread, including in a closure. Blocks.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// use remora::{Awaited, Wait};
    /// use std::time::Duration;
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "dark": true}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").packaged_data(data).open()?;
    /// // Packaged data will do, so that this sends no request:
    /// let snapshot = match source.wait(Wait::AnyData, Duration::from_secs(5)) {
    ///     Awaited::Ready(snapshot) => snapshot,
    ///     Awaited::Fallback(snapshot, error) => {
    ///         eprintln!("continuing with the live data: {error}");
    ///         snapshot
    ///     }
    ///     Awaited::Failed(error) => return Err(error),
    /// };
    /// assert_eq!(snapshot.len(), 1);
    /// # Ok(()) }
    /// ```
    pub fn wait(&self, wait: Wait, timeout: impl Into<Option<Duration>>) -> Awaited {
        let timeout = time::timeout(timeout.into());
        let mut raw = ptr::null_mut();
        // SAFETY: the source lives as long as `self`.
        let waited = check(|error| unsafe {
            sys::remora_await(self.as_ptr(), &wait.raw(), timeout, &mut raw, error)
        });
        // SAFETY: the library returns a snapshot that we own, or NULL.
        Awaited::new(waited, unsafe { Snapshot::from_owned(raw) })
    }
}
