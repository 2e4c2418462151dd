// SPDX-License-Identifier: Apache-2.0

//! Refreshing: requests for newer settings.

mod pending;
mod request;
mod sync;
mod sync_report;
mod wait;

pub use pending::Pending;
pub(crate) use request::Owner;
pub use request::Request;
pub use sync_report::{SyncItem, SyncReport};

use std::os::raw::c_void;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::{check, Error, Result};
use crate::ffi::{self, defaults, Guarded};
use crate::source::Source;
use crate::time;

/// Options of a refresh, a wait or a sync, with the same meaning in each.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefreshOptions {
    force: bool,
    only_if_empty: bool,
    expected_version: i64,
    pub(crate) timeout_ms: i64,
}

impl Default for RefreshOptions {
    fn default() -> Self {
        Self {
            force: false,
            only_if_empty: false,
            expected_version: 0,
            timeout_ms: time::timeout(None),
        }
    }
}

impl RefreshOptions {
    /// Sets whether to send a request even if the data is fresh or the server asked clients to
    /// wait. Default: false.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// Sets whether to skip sources that have any data, even old data, without a request. Use this
    /// option if a program needs some data at its first start. Default: false.
    #[must_use]
    pub fn only_if_empty(mut self, only_if_empty: bool) -> Self {
        self.only_if_empty = only_if_empty;
        self
    }

    /// Sets the timestamp of a push message about a collection, in milliseconds since 1970, so that
    /// no cache between client and server returns older data. Default: 0, which means unknown.
    #[must_use]
    pub fn expected_version(mut self, timestamp: i64) -> Self {
        self.expected_version = timestamp;
        self
    }

    /// Sets the time limit of the call. With `None`, the default, only the client's time limits
    /// apply. With `Duration::ZERO`, no request is sent.
    #[must_use]
    pub fn timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.timeout_ms = time::timeout(limit.into());
        self
    }

    pub(crate) fn raw(&self) -> sys::remora_refresh_options {
        // SAFETY: zero bytes are options of zeros.
        let mut options = unsafe { defaults::<sys::remora_refresh_options>() };
        options.force = self.force.into();
        options.only_if_empty = self.only_if_empty.into();
        options.expected_version = self.expected_version;
        options
    }
}

type Completion = ffi::Completion<Result<Outcome>>;

impl Source {
    /// Requests newer data from the server, and waits until it is live.
    ///
    /// Concurrent refreshes of a source share one request, unless they are forced. The call can
    /// return before subscribers are notified. `timeout` is the time limit of this call, see
    /// [`RefreshOptions::timeout`].
    ///
    /// Any thread, also in a closure that Remora calls. Blocks.
    ///
    /// # Errors
    /// `Timeout`, `Closed`, `Cancelled` (by a reset), `Corrupt`, `Storage` (another client or
    /// process has locked the files of the source), and kinds of the families network, document,
    /// trust and freshness. After an error, reads return the same data as before.
    pub fn refresh(&self, timeout: impl Into<Option<Duration>>) -> Result<Outcome> {
        self.refresh_with(&RefreshOptions::default().timeout(timeout))
    }

    /// Refreshes like [`refresh`](Self::refresh), with options.
    ///
    /// # Errors
    /// As `refresh`; `InvalidArgument` (`expected_version` is negative, or is set for a source that
    /// is not a collection; `force` and `only_if_empty` are both set).
    pub fn refresh_with(&self, options: &RefreshOptions) -> Result<Outcome> {
        let (raw, limit, mut outcome) = (options.raw(), options.timeout_ms, 0);
        // SAFETY: the source lives as long as `self`, the options during the call.
        check(|error| unsafe {
            sys::remora_refresh(self.as_ptr(), &raw, limit, &mut outcome, error)
        })?;
        Ok(Outcome::from_raw(outcome))
    }

    /// Starts a refresh, and returns a [`Request`] to cancel it.
    ///
    /// The closure receives the result once, on the thread that [`Callbacks`](crate::Callbacks)
    /// selects, after the events of the refresh. The `Request` keeps the source open. If the client
    /// is closed, or the `Request` and all clones of the source are dropped, before the result
    /// arrives, the closure is dropped without a call. A panic in the closure is caught.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block, but the first call of a process loads
    /// libcurl and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn refresh_async(
        &self,
        closure: impl FnOnce(Result<Outcome>) + Send + 'static,
    ) -> Result<Request> {
        self.refresh_async_with(&RefreshOptions::default(), closure)
    }

    /// Starts a refresh like [`refresh_async`](Self::refresh_async), with options. When the time
    /// limit expires, the closure receives `Timeout`, and the request is cancelled unless other
    /// calls wait for it.
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
        // SAFETY: the options live during the call, which passes on the user data with its callback.
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

    /// Starts a refresh like [`refresh_async_with`](Self::refresh_async_with), and returns a
    /// future.
    pub fn refresh_future(&self, options: &RefreshOptions) -> Pending<Outcome> {
        Pending::begin(|result| self.refresh_async_with(options, |outcome| result.set(outcome)))
    }
}

unsafe extern "C" fn notify(result: *const sys::remora_result, user_data: *mut c_void) {
    // SAFETY: the result and its parts live during the call; the error is NULL on success.
    let result =
        || unsafe { Error::result((*result).error).map(|()| Outcome::from_raw((*result).outcome)) };
    // SAFETY: `refresh_async_with` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
