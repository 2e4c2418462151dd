// SPDX-License-Identifier: Apache-2.0

//! Waiting for fresh data.

use std::os::raw::c_void;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::{self, Guarded};
use crate::refresh::{Owner, Pending, RefreshOptions, Request};
use crate::snapshot::Snapshot;
use crate::source::Source;

type Completion = ffi::Completion<Result<Snapshot>>;

impl Source {
    /// Refreshes the source unless its data is fresh (see
    /// [`SettingsBuilder::ttl`](crate::SettingsBuilder::ttl)), and returns the live snapshot.
    ///
    /// Use this method at the start of a program that prefers fresh data, but can wait for a short
    /// time only. If the call fails, reads return the data that the source already has:
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// use std::time::Duration;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false).open()?;
    /// let editor = settings.tag("editor", None)?;
    /// if let Err(error) = editor.wait(Duration::from_millis(500)) {
    ///     eprintln!("continuing with the live data: {error}");
    /// }
    /// assert_eq!(editor.get_int("brush", None).unwrap_or(3), 3);
    /// # Ok(()) }
    /// ```
    ///
    /// Any thread, also in a closure that Remora calls. Blocks.
    ///
    /// # Errors
    /// As [`refresh`](Self::refresh).
    pub fn wait(&self, timeout: impl Into<Option<Duration>>) -> Result<Snapshot> {
        self.wait_with(&RefreshOptions::default().timeout(timeout))
    }

    /// Waits like [`wait`](Self::wait), with options.
    ///
    /// # Errors
    /// As [`refresh_with`](Self::refresh_with).
    pub fn wait_with(&self, options: &RefreshOptions) -> Result<Snapshot> {
        let (raw, limit, mut snapshot) = (options.raw(), options.timeout_ms, ptr::null_mut());
        // SAFETY: the source lives as long as `self`, the options during the call.
        let waited = check(|error| unsafe {
            sys::remora_await(self.as_ptr(), &raw, limit, &mut snapshot, error)
        });
        // SAFETY: the library returns a snapshot that we own, or NULL.
        let snapshot = unsafe { Snapshot::from_owned(snapshot) };
        waited.and_then(|()| snapshot.ok_or_else(Error::closed))
    }

    /// Starts a wait like [`wait_with`](Self::wait_with), and returns a [`Request`] to cancel it.
    ///
    /// The closure receives the result once, on the thread of [`Callbacks`](crate::Callbacks),
    /// after the events of the refresh. If the client or the source is closed first, the closure is
    /// dropped without a call. The `Request` keeps the source open. A panic in the closure is
    /// caught.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block, but the first call of a process loads
    /// libcurl and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto), and `InvalidArgument` as
    /// [`refresh_with`](Self::refresh_with).
    pub fn wait_async(
        &self,
        options: &RefreshOptions,
        closure: impl FnOnce(Result<Snapshot>) + Send + 'static,
    ) -> Result<Request> {
        let raw = options.raw();
        let owner = Owner::Source(self.clone());
        // SAFETY: the options live during the call, which passes the user data and its callback.
        unsafe {
            Request::begin(owner, closure, |completion, request, error| {
                sys::remora_await_async(
                    self.as_ptr(),
                    &raw,
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

    /// Starts a wait like [`wait_async`](Self::wait_async), and returns a future.
    pub fn wait_future(&self, options: &RefreshOptions) -> Pending<Snapshot> {
        Pending::begin(|result| self.wait_async(options, |snapshot| result.set(snapshot)))
    }

    /// Starts a refresh in the background unless the data is fresh. Later reads and calls of `wait`
    /// use the new data, and subscribers are notified. The refresh is cancelled when the last
    /// handle of the source is closed.
    ///
    /// Any thread, also in a closure that Remora calls. Does not block, but the first call of a process loads
    /// libcurl and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn prefetch(&self) -> Result<()> {
        let (defaults, no_user_data, no_request) = (ptr::null(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the source lives as long as `self`; no other pointer is passed.
        check(|error| unsafe {
            sys::remora_await_async(
                self.as_ptr(),
                defaults,
                -1,
                None,
                no_user_data,
                None,
                no_request,
                error,
            )
        })
    }
}

unsafe extern "C" fn notify(result: *const sys::remora_result, user_data: *mut c_void) {
    let result = || {
        // SAFETY: the result and its parts live during the call; the error is NULL on success.
        let (waited, snapshot) = unsafe { (Error::result((*result).error), (*result).snapshot) };
        // SAFETY: the snapshot lives during the call.
        let snapshot = (!snapshot.is_null()).then(|| unsafe { Snapshot::from_borrowed(snapshot) });
        waited.and_then(|()| snapshot.ok_or_else(Error::closed))
    };
    // SAFETY: `wait_async` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
