// SPDX-License-Identifier: Apache-2.0

//! Syncing: refreshing all sources of a client that moved.

use std::os::raw::c_void;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::ffi::{self, contain, Guarded};
use crate::refresh::{Owner, Request, SyncReport};
use crate::time;

type Completion = ffi::Completion<SyncReport>;

impl Client {
    /// Refreshes the sources of the client that moved, and waits until they are live.
    ///
    /// Asks the monitor of each server once, and then for the collections that moved or that it
    /// does not list: four at a time, sharing requests with refreshes that run already. A source
    /// that fails stops no other; when a monitor fails, so do all sources of its server. A source
    /// that the monitor calls unchanged is not asked for: it gets no event, and its age grows,
    /// because nobody signs what a monitor says.
    ///
    /// A source that failed is no `Err`: it is in the report, whose [`error`](SyncReport::error) is
    /// that of the first. So is the end of `timeout`, the caller's own: sources that have no outcome
    /// by then failed with `Timeout`, the others keep theirs. `None` leaves it to the transport's
    /// limits, zero starts nothing.
    ///
    /// Any thread, also in a closure. Blocks. A [`close`](Self::close) meanwhile takes effect when
    /// this returns.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// use std::time::Duration;
    /// let client = remora::Client::in_memory().build()?;
    /// // … and its sources, which are none here, so that this sends no request:
    /// let report = client.sync(Duration::from_secs(60))?;
    /// for item in &report.items {
    ///     if let Err(error) = &item.result {
    ///         eprintln!("{}: {error}", item.source_name);
    ///     }
    /// }
    /// assert_eq!((report.total, report.error()), (0, None));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Nothing was done: `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn sync(&self, timeout: impl Into<Option<Duration>>) -> Result<SyncReport> {
        self.sync_announced(0, timeout)
    }

    /// As [`sync`](Self::sync), after a push message that announced a timestamp in milliseconds
    /// since 1970.
    ///
    /// The timestamp is sent to the monitor, so that no cache answers with a list from before the
    /// push. 0 is no timestamp.
    ///
    /// # Errors
    /// As `sync`; `InvalidArgument` for a negative timestamp.
    pub fn sync_announced(
        &self,
        announced_at: i64,
        timeout: impl Into<Option<Duration>>,
    ) -> Result<SyncReport> {
        let timeout = time::timeout(timeout.into());
        self.handle.visit(|client| {
            let mut report: Option<SyncReport> = None;
            let here = ptr::addr_of_mut!(report).cast();
            // SAFETY: the client lives during the visit, the report during the call.
            let synced = check(|error| unsafe {
                sys::remora_sync_announced(client, announced_at, timeout, Some(keep), here, error)
            });
            // A failure with a report is in the report.
            match (report, synced) {
                (Some(report), _) => Ok(report),
                (None, Err(error)) => Err(error),
                (None, Ok(())) => Err(Error::closed()),
            }
        })
    }

    /// As [`sync`](Self::sync), without waiting: gives a closure the report.
    ///
    /// It is called once, where the client's closures run, after the events of the sync's
    /// refreshes; when the sync is cancelled, sources without an outcome failed with `Cancelled`.
    /// It is dropped without a call when the client is closed before; the [`Request`] keeps that
    /// alive. A panic in it ends there.
    ///
    /// Any thread, also in a closure. Does not block, but the first of a process loads libcurl and
    /// libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn sync_async(&self, closure: impl FnOnce(SyncReport) + Send + 'static) -> Result<Request> {
        self.sync_announced_async(0, closure)
    }

    /// As [`sync_announced`](Self::sync_announced), without waiting; as
    /// [`sync_async`](Self::sync_async).
    ///
    /// # Errors
    /// As `sync_async`; `InvalidArgument` for a negative timestamp.
    pub fn sync_announced_async(
        &self,
        announced_at: i64,
        closure: impl FnOnce(SyncReport) + Send + 'static,
    ) -> Result<Request> {
        let owner = Owner::Client(self.clone());
        self.handle.visit(|client| {
            // SAFETY: the client lives during the visit; the call passes the user data and its
            // callback.
            unsafe {
                Request::begin(owner, closure, |completion, request, error| {
                    sys::remora_sync_announced_async(
                        client,
                        announced_at,
                        Some(tell),
                        completion.pointer,
                        completion.free,
                        request,
                        error,
                    )
                })
            }
        })
    }
}

/// Called inside of `remora_sync_announced`; the user data is the place for the report.
unsafe extern "C" fn keep(report: *const sys::remora_sync_report, user_data: *mut c_void) {
    // SAFETY: `sync` gave the place, and waits; the report lives during the call.
    contain(|| unsafe {
        *user_data.cast::<Option<SyncReport>>() = Some(SyncReport::from_raw(&*report));
    });
}

unsafe extern "C" fn tell(report: *const sys::remora_sync_report, user_data: *mut c_void) {
    // SAFETY: the report lives during the call.
    let result = || unsafe { SyncReport::from_raw(&*report) };
    // SAFETY: `sync_async` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
