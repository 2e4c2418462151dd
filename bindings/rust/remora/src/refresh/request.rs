// SPDX-License-Identifier: Apache-2.0

//! Asynchronous operations: their start, and their handle.

use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::ffi::{Completion, Guarded, UserData};
use crate::source::Source;

/// The handle of an asynchronous refresh, wait, sync or opening of an attachment.
///
/// Keeps the source open, or for a sync the client. Dropping this value does not cancel the
/// request.
#[must_use = "without it, the call cannot be cancelled, and source and client must stay alive"]
pub struct Request {
    raw: NonNull<sys::remora_request>,
    _owner: Owner,
}

/// The object that must stay open until a request is complete; owned and never read.
#[allow(dead_code)]
pub(crate) enum Owner {
    Source(Source),
    Client(Client),
}

// SAFETY: every function of the library may be called from any thread, and the handle is released
// when no thread uses it any more.
unsafe impl Send for Request {}
// SAFETY: as above.
unsafe impl Sync for Request {}

impl Request {
    /// Starts a request with `call`, which receives the closure as user data.
    ///
    /// # Safety
    /// `call` must pass the user data to the library, even if it fails, with a callback that completes
    /// them. If it succeeds, it must have stored a request of the owner in its output.
    pub(crate) unsafe fn begin<T>(
        owner: Owner,
        closure: impl FnOnce(T) + Send + 'static,
        call: impl FnOnce(
            UserData,
            *mut *mut sys::remora_request,
            *mut sys::remora_error,
        ) -> sys::remora_status,
    ) -> Result<Self> {
        let completion: Completion<T> = Some(Box::new(closure));
        let completion = Guarded::user_data(completion, Default::default());
        let mut raw = ptr::null_mut();
        check(|error| call(completion, &mut raw, error))?;
        Ok(Self {
            raw: NonNull::new(raw).ok_or_else(Error::closed)?,
            _owner: owner,
        })
    }

    /// Cancels the request: the closure receives `Cancelled`, unless the request is complete. The
    /// report of a sync has the error `Cancelled` for each source without an outcome.
    ///
    /// The transfer is cancelled if no other caller waits for it; a late response then changes
    /// nothing. Any thread; does not block.
    pub fn cancel(&self) {
        // SAFETY: the handle lives as long as `self`.
        unsafe { sys::remora_request_cancel(self.raw.as_ptr()) };
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and this is its last use.
        unsafe { sys::remora_request_release(self.raw.as_ptr()) };
    }
}
