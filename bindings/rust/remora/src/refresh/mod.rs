// SPDX-License-Identifier: Apache-2.0

//! Refreshing: asking the server for newer settings.

mod awaited;
mod awaited_read;
mod request;
mod sync;
mod sync_report;
mod wait_async;

pub use awaited::{Awaited, Wait};
pub(crate) use request::Owner;
pub use request::Request;
pub use sync::SyncOptions;
pub use sync_report::{SyncItem, SyncReport};

use std::os::raw::c_void;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::{check, Error, Result};
use crate::ffi::{self, defaults, Guarded};
use crate::source::Source;
use crate::time;

/// How to refresh; default: as [`Source::refresh`] does.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefreshOptions {
    force: bool,
    expected_version: i64,
    timeout_ms: i64,
}

impl Default for RefreshOptions {
    fn default() -> Self {
        Self {
            force: false,
            expected_version: 0,
            timeout_ms: time::timeout(None),
        }
    }
}

impl RefreshOptions {
    /// Sets whether to ignore the server's backoff and share no request; default no.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Sets the timestamp of a push message for a collection, in milliseconds since 1970: no cache
    /// between client and server answers with older data. Default 0: unknown.
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
        options.force = self.force.into();
        options.expected_version = self.expected_version;
        options
    }
}

type Completion = ffi::Completion<Result<Outcome>>;

impl Source {
    /// Requests newer settings from the server and waits until they are live.
    ///
    /// Refreshes of one source at the same time share one request. Returns
    /// [`Updated`](Outcome::Updated), [`Unchanged`](Outcome::Unchanged),
    /// [`NotNewer`](Outcome::NotNewer) or [`Staged`](Outcome::Staged); it returns when the new
    /// snapshot is published, which may be before subscribers are notified. `timeout` is the
    /// caller's own: `None` leaves it to the transport's limits, zero starts nothing and answers
    /// `Timeout`.
    ///
    /// Any thread, including in a closure. Blocks.
    ///
    /// # Errors
    /// The last good data stays live and stored. `Timeout`, `Closed`, `Cancelled` (by a reset),
    /// `Backoff`, `Corrupt`, `Storage` (another client or process keeps the source's files locked), or
    /// a kind of the families network, document, trust and freshness.
    pub fn refresh(&self, timeout: impl Into<Option<Duration>>) -> Result<Outcome> {
        self.refresh_with(&RefreshOptions::default().timeout(timeout))
    }

    /// As [`refresh`](Self::refresh), with options.
    ///
    /// # Errors
    /// As `refresh`; `InvalidArgument` for a negative version, and for one of another kind of source.
    pub fn refresh_with(&self, options: &RefreshOptions) -> Result<Outcome> {
        let (raw, limit, mut outcome) = (options.raw(), options.timeout_ms, 0);
        // SAFETY: the source lives as long as `self`, the options during the call.
        check(|error| unsafe {
            sys::remora_refresh(self.as_ptr(), &raw, limit, &mut outcome, error)
        })?;
        Ok(Outcome::from_raw(outcome))
    }

    /// As [`refresh`](Self::refresh), without waiting: passes the result to a closure.
    ///
    /// It is called once, where the client's closures run, after the events of the same refresh. It
    /// is dropped without a call when the client is closed before, or when the last owner of the
    /// source is dropped; the [`Request`] is an owner. A panic in it ends there.
    ///
    /// Any thread, including in a closure. Does not block, but the first of a process loads libcurl
    /// and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn refresh_async(
        &self,
        closure: impl FnOnce(Result<Outcome>) + Send + 'static,
    ) -> Result<Request> {
        self.refresh_async_with(&RefreshOptions::default(), closure)
    }

    /// As [`refresh_async`](Self::refresh_async), with options. After their time limit the closure
    /// receives `Timeout`, and the request ends unless others wait for it.
    ///
    /// # Errors
    /// As `refresh_async`; `InvalidArgument` as [`refresh_with`](Self::refresh_with).
    pub fn refresh_async_with(
        &self,
        options: &RefreshOptions,
        closure: impl FnOnce(Result<Outcome>) + Send + 'static,
    ) -> Result<Request> {
        let raw_options = options.raw();
        let owner = Owner::Source(self.clone());
        // SAFETY: the options live during the call, which passes the user data and its callback.
        unsafe {
            Request::begin(owner, closure, |completion, request, error| {
                sys::remora_refresh_async(
                    self.as_ptr(),
                    &raw_options,
                    options.timeout_ms,
                    Some(notify),
                    completion.pointer,
                    completion.free,
                    request,
                    error,
                )
            })
        }
    }
}

unsafe extern "C" fn notify(result: *const sys::remora_result, user_data: *mut c_void) {
    // SAFETY: what it has lives during the call; the error is NULL on success.
    let result =
        || unsafe { Error::result((*result).error).map(|()| Outcome::from_raw((*result).outcome)) };
    // SAFETY: `refresh_async_with` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
