// SPDX-License-Identifier: Apache-2.0

//! What is asked for without waiting: the call that begins it, and the handle of who asked.

use std::os::raw::c_void;
use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::ffi::{Completion, Guarded};
use crate::source::Source;

/// An asynchronous refresh, wait, sync or opening of a caller's.
///
/// Dropping it cancels nothing. It keeps its source alive, or the client that it syncs.
#[must_use = "without it, source and client must be kept alive, and nothing can be cancelled"]
pub struct Request {
    raw: NonNull<sys::remora_request>,
    _owner: Owner,
}

/// What must live for a request to have an end.
enum Owner {
    Source { _source: Source },
    Client { _client: Client },
}

/// The closure that is told the end, as the library takes it; a `Guarded<Completion<T>>`.
pub(crate) struct Ending {
    pub(crate) user_data: *mut c_void,
    pub(crate) free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: every function of the library may be called from any thread, and the handle is given up
// when nobody uses it any more.
unsafe impl Send for Request {}
// SAFETY: as above.
unsafe impl Sync for Request {}

impl Request {
    /// The request that a call makes of a source.
    ///
    /// # Safety
    /// The call gives the ending to the library, also when it fails, with a callback that completes
    /// it; and stores a request where it is told to when it succeeds.
    pub(crate) unsafe fn of_source<T>(
        source: Source,
        closure: impl FnOnce(T) + Send + 'static,
        call: impl FnOnce(
            *mut sys::remora_source,
            Ending,
            *mut *mut sys::remora_request,
            *mut sys::remora_error,
        ) -> sys::remora_status,
    ) -> Result<Self> {
        let raw = begin(closure, |ending, request, error| {
            call(source.as_ptr(), ending, request, error)
        })?;
        let _owner = Owner::Source { _source: source };
        Ok(Self { raw, _owner })
    }

    /// The request that a call makes of a client.
    ///
    /// # Safety
    /// As of `of_source`.
    pub(crate) unsafe fn of_client<T>(
        client: Client,
        closure: impl FnOnce(T) + Send + 'static,
        call: impl FnOnce(
            *mut sys::remora_client,
            Ending,
            *mut *mut sys::remora_request,
            *mut sys::remora_error,
        ) -> sys::remora_status,
    ) -> Result<Self> {
        let raw = client.handle.visit(|client| {
            begin(closure, |ending, request, error| {
                call(client, ending, request, error)
            })
        })?;
        let _owner = Owner::Client { _client: client };
        Ok(Self { raw, _owner })
    }

    /// Gives up interest: the closure gets `Cancelled`, of a sync for each source without an
    /// outcome, unless the end has come already.
    ///
    /// The request itself ends when nobody is interested any more, and a late answer then changes
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

/// Makes the call, with the closure on its way to the library.
fn begin<T>(
    closure: impl FnOnce(T) + Send + 'static,
    call: impl FnOnce(
        Ending,
        *mut *mut sys::remora_request,
        *mut sys::remora_error,
    ) -> sys::remora_status,
) -> Result<NonNull<sys::remora_request>> {
    let completion: Completion<T> = Some(Box::new(closure));
    let ending = Ending {
        user_data: Guarded::user_data(completion, Default::default()),
        free_user_data: Some(Guarded::<Completion<T>>::free),
    };
    let mut request = ptr::null_mut();
    check(|error| call(ending, &mut request, error))?;
    NonNull::new(request).ok_or_else(Error::closed)
}
