// SPDX-License-Identifier: Apache-2.0

//! Waiting for a fresh snapshot without blocking a thread.

use std::os::raw::c_void;
use std::ptr;
use std::time::Duration;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::{self, Guarded};
use crate::refresh::{Awaited, Owner, Request, Wait};
use crate::snapshot::Snapshot;
use crate::source::Source;
use crate::time;

type Completion = ffi::Completion<Awaited>;

impl Source {
    /// As [`wait`](Self::wait), without blocking: passes the result to a closure.
    ///
    /// It is called once, where the client's closures run, after the events of the same refresh. It
    /// is dropped without a call when the client is closed before, or when the last owner of the
    /// source is dropped; the [`Request`] is an owner. At the end of the `timeout`, and when the
    /// request is cancelled, it receives the snapshot that was live at the call; the request to the
    /// server then ends, unless others wait for it. A panic in the closure ends there.
    ///
    /// Any thread, including in a closure. Does not block, but the first of a process loads libcurl
    /// and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// use remora::Wait;
    /// use std::sync::mpsc::channel;
    /// use std::time::Duration;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false).open()?;
    /// let (sender, receiver) = channel();
    /// let _request = settings.wait_async(Wait::Refreshed, Duration::from_secs(2), move |awaited| {
    ///     let _ = sender.send(awaited.get_int("limit", None).unwrap_or(10));
    /// })?;
    /// // … and later:
    /// assert_eq!(receiver.recv(), Ok(10));
    /// # Ok(()) }
    /// ```
    pub fn wait_async(
        &self,
        wait: Wait,
        timeout: impl Into<Option<Duration>>,
        closure: impl FnOnce(Awaited) + Send + 'static,
    ) -> Result<Request> {
        let (options, timeout) = (wait.raw(), time::timeout(timeout.into()));
        let owner = Owner::Source(self.clone());
        // SAFETY: the call passes the user data and its callback.
        unsafe {
            Request::begin(owner, closure, |completion, request, error| {
                sys::remora_await_async(
                    self.as_ptr(),
                    &options,
                    timeout,
                    Some(notify),
                    completion.pointer,
                    completion.free,
                    request,
                    error,
                )
            })
        }
    }

    /// Starts what [`wait`](Self::wait) would wait for, in the background. Later waits and reads
    /// use the result, and subscribers are notified. It continues as long as the source has an
    /// owner.
    ///
    /// Any thread, including in a closure. Does not block, but the first of a process loads libcurl
    /// and libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn prefetch(&self) -> Result<()> {
        let (defaults, no_user_data, no_request) = (ptr::null(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the source lives as long as `self`; without a callback there is nothing else.
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
        // SAFETY: what it has lives during the call; the error is NULL on success.
        let (waited, snapshot) = unsafe { (Error::result((*result).error), (*result).snapshot) };
        // SAFETY: the snapshot lives during the call.
        let snapshot = (!snapshot.is_null()).then(|| unsafe { Snapshot::from_borrowed(snapshot) });
        Awaited::new(waited, snapshot)
    };
    // SAFETY: `wait_async` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
