// SPDX-License-Identifier: Apache-2.0

//! Syncing: refreshing all changed sources of a client.

use std::os::raw::c_void;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::ffi::{self, contain, defaults, Guarded};
use crate::refresh::{Owner, Request, SyncReport};
use crate::time;

type Completion = ffi::Completion<SyncReport>;

/// How to sync; default: as [`Client::sync`] does, without a limit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SyncOptions {
    expected_version: i64,
    timeout_ms: i64,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            expected_version: 0,
            timeout_ms: time::timeout(None),
        }
    }
}

impl SyncOptions {
    /// Sets the timestamp of a push message, in milliseconds since 1970. It is sent to the monitor,
    /// so that no cache answers with an older list. Default 0: unknown.
    #[must_use]
    pub fn expected_version(mut self, timestamp: i64) -> Self {
        self.expected_version = timestamp;
        self
    }

    /// Sets the caller's own limit. Default and `None`: the limits of the transport. Zero sends no
    /// request.
    #[must_use]
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout_ms = time::timeout(limit.into());
        self
    }

    fn raw(&self) -> sys::remora_refresh_options {
        // SAFETY: zero bytes are options of zeros.
        let mut options = unsafe { defaults::<sys::remora_refresh_options>() };
        options.expected_version = self.expected_version;
        options
    }
}

impl Client {
    /// Refreshes the changed sources of the client, and waits until they are live.
    ///
    /// Requests the monitor of each server once, and then the collections that have changed or that
    /// the monitor does not list: four at a time, sharing requests with running refreshes. The
    /// failure of one source does not stop the others; if a monitor fails, all sources of its
    /// server fail. A source that the monitor lists as unchanged is not requested: it receives no
    /// event, and its age grows, because the monitor's answer is not signed.
    ///
    /// A source that failed is not an `Err`. It is in the report, whose
    /// [`error`](SyncReport::error) is that of the first. So is the end of `timeout`, the caller's
    /// own: sources that have no outcome by then failed with `Timeout`, the others keep theirs.
    /// `None` leaves it to the transport's limits, zero starts nothing.
    ///
    /// Any thread, including in a closure. Blocks. A [`close`](Self::close) meanwhile takes effect
    /// when this returns.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// use std::time::Duration;
    /// let client = remora::Client::in_memory().build()?;
    /// // … open sources here; without a source, this sends no request:
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
        self.sync_with(&SyncOptions::default().timeout(timeout))
    }

    /// As [`sync`](Self::sync), with options.
    ///
    /// # Errors
    /// As `sync`; `InvalidArgument` for a negative version.
    pub fn sync_with(&self, options: &SyncOptions) -> Result<SyncReport> {
        let (raw, limit) = (options.raw(), options.timeout_ms);
        self.handle.visit(|client| {
            let mut report: Option<SyncReport> = None;
            let here = ptr::addr_of_mut!(report).cast();
            // SAFETY: the client lives during the visit, options and report during the call.
            let synced = check(|error| unsafe {
                sys::remora_sync(client, &raw, limit, Some(keep), here, error)
            });
            // A failure with a report is in the report.
            match (report, synced) {
                (Some(report), _) => Ok(report),
                (None, Err(error)) => Err(error),
                (None, Ok(())) => Err(Error::closed()),
            }
        })
    }

    /// Starts a sync, as [`sync`](Self::sync), and returns; a closure receives the report.
    ///
    /// It is called once, where the client's closures run, after the events of the sync's
    /// refreshes. If the sync is cancelled, sources without an outcome fail with `Cancelled`.
    /// It is dropped without a call if the client is closed before; the [`Request`] keeps the client
    /// alive. A panic in it ends there.
    ///
    /// Any thread, including in a closure. Does not block, but the first of a process loads libcurl
    /// and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn sync_async(&self, closure: impl FnOnce(SyncReport) + Send + 'static) -> Result<Request> {
        self.sync_async_with(&SyncOptions::default(), closure)
    }

    /// As [`sync_async`](Self::sync_async), with options. After their time limit sources without an
    /// outcome fail with `Timeout`.
    ///
    /// # Errors
    /// As `sync_async`; `InvalidArgument` for a negative version.
    pub fn sync_async_with(
        &self,
        options: &SyncOptions,
        closure: impl FnOnce(SyncReport) + Send + 'static,
    ) -> Result<Request> {
        let (raw, limit) = (options.raw(), options.timeout_ms);
        let owner = Owner::Client(self.clone());
        self.handle.visit(|client| {
            // SAFETY: the client lives during the visit; the call passes the user data and its
            // callback.
            unsafe {
                Request::begin(owner, closure, |completion, request, error| {
                    sys::remora_sync_async(
                        client,
                        &raw,
                        limit,
                        Some(notify),
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

/// Called inside of `remora_sync`; the user data is the place for the report.
unsafe extern "C" fn keep(report: *const sys::remora_sync_report, user_data: *mut c_void) {
    // SAFETY: `sync` passed the place, and waits; the report lives during the call.
    contain(|| unsafe {
        *user_data.cast::<Option<SyncReport>>() = Some(SyncReport::from_raw(&*report));
    });
}

unsafe extern "C" fn notify(report: *const sys::remora_sync_report, user_data: *mut c_void) {
    // SAFETY: the report lives during the call.
    let result = || unsafe { SyncReport::from_raw(&*report) };
    // SAFETY: `sync_async` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
