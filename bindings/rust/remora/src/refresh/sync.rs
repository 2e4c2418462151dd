// SPDX-License-Identifier: Apache-2.0

//! Syncing: refreshing all changed sources of a client.

use std::os::raw::c_void;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::ffi::{self, contain, Guarded};
use crate::refresh::{Owner, Pending, RefreshOptions, Request, SyncReport};

type Completion = ffi::Completion<SyncReport>;

impl Client {
    /// Refreshes the sources of the client that have changed on their servers, and waits until
    /// the new versions are live.
    ///
    /// The call requests the monitor (the list of collections) of each server once, and then the
    /// collections that have changed or that the monitor does not list, four at a time. If one
    /// source fails, the others are still refreshed. If a request for a monitor fails, all
    /// collections of its server fail. A collection that the monitor lists as unchanged has no
    /// event and keeps its [`checked_at`](crate::SourceInfo::checked_at), because the monitor is
    /// not signed.
    ///
    /// The report contains the error of each source that failed, or that had no outcome when
    /// `timeout` expired. [`error`](SyncReport::error) returns the first error.
    ///
    /// Any thread, also in a closure that Remora calls. Blocks. A concurrent [`close`](Self::close) takes effect
    /// when this call returns.
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
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto). Then no source was refreshed.
    pub fn sync(&self, timeout: impl Into<Option<Duration>>) -> Result<SyncReport> {
        self.sync_with(&RefreshOptions::default().timeout(timeout))
    }

    /// Syncs like [`sync`](Self::sync), with options.
    ///
    /// # Errors
    /// As `sync`; `InvalidArgument` as [`refresh_with`](crate::Source::refresh_with).
    pub fn sync_with(&self, options: &RefreshOptions) -> Result<SyncReport> {
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

    /// Starts a sync like [`sync`](Self::sync), and returns a [`Request`] to cancel the sync.
    ///
    /// The closure receives the report once, on the thread of [`Callbacks`](crate::Callbacks),
    /// after the events of the refreshes. If the sync is cancelled, sources without an outcome fail
    /// with `Cancelled`. If the client is closed first, the closure is dropped without a call. The
    /// `Request` keeps the client open. A panic in the closure is caught.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block, but the first call of a process loads
    /// libcurl and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn sync_async(&self, closure: impl FnOnce(SyncReport) + Send + 'static) -> Result<Request> {
        self.sync_async_with(&RefreshOptions::default(), closure)
    }

    /// Starts a sync like [`sync_async`](Self::sync_async), with options. When the time limit
    /// expires, sources without an outcome fail with `Timeout`.
    ///
    /// # Errors
    /// As `sync_async`; `InvalidArgument` as [`sync_with`](Self::sync_with).
    pub fn sync_async_with(
        &self,
        options: &RefreshOptions,
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

    /// Starts a sync like [`sync_async_with`](Self::sync_async_with), and returns a future.
    pub fn sync_future(&self, options: &RefreshOptions) -> Pending<SyncReport> {
        Pending::begin(|result| self.sync_async_with(options, |report| result.set(Ok(report))))
    }
}

/// Receives the report of `remora_sync`, and stores it where the user data point.
unsafe extern "C" fn keep(report: *const sys::remora_sync_report, user_data: *mut c_void) {
    // SAFETY: `sync` passed the place, and is waiting; the report lives during the call.
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
