// SPDX-License-Identifier: Apache-2.0

//! Refreshing: asking the server for newer settings.

use std::mem;
use std::os::raw::c_void;
use std::ptr::{self, NonNull};
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::codes::Outcome;
use crate::error::{check, Error, Result};
use crate::source::Source;
use crate::time;
use crate::trampoline::{self, Guarded};

/// How to refresh; default: as [`Source::refresh`] does.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RefreshOptions {
    force: bool,
}

impl RefreshOptions {
    /// Whether to ignore the server's backoff and share no request; default no.
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }
}

type Completion = trampoline::Completion<Result<Outcome>>;

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

// SAFETY: every function of the library may be called from any thread, and the handle is given up
// when nobody uses it any more.
unsafe impl Send for Request {}
// SAFETY: as above.
unsafe impl Sync for Request {}

impl Request {
    /// # Safety
    /// `raw` is a request of the source, which nobody else gives up.
    pub(crate) unsafe fn of_source(raw: NonNull<sys::remora_request>, source: Source) -> Self {
        let _owner = Owner::Source { _source: source };
        Self { raw, _owner }
    }

    /// # Safety
    /// `raw` is a request of the client, which nobody else gives up.
    pub(crate) unsafe fn of_client(raw: NonNull<sys::remora_request>, client: Client) -> Self {
        let _owner = Owner::Client { _client: client };
        Self { raw, _owner }
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

impl Source {
    /// Asks the server for newer settings and waits until they are live.
    ///
    /// Refreshes of one source at the same time share one request. Gives
    /// [`Updated`](Outcome::Updated), [`Unchanged`](Outcome::Unchanged),
    /// [`NotNewer`](Outcome::NotNewer) or [`Staged`](Outcome::Staged); it returns when the new snapshot is published, which may be
    /// before subscribers have been told. `timeout` is the caller's own: `None` leaves it to the
    /// transport's limits, zero starts nothing and answers `Timeout`.
    ///
    /// Any thread, also in a closure. Blocks.
    ///
    /// # Errors
    /// The last good data stays live and stored. `Timeout`, `Closed`, `Cancelled` (a reset came in
    /// between), `Backoff`, `Corrupt`, or a kind of the families network, document, trust and
    /// freshness.
    pub fn refresh(&self, timeout: impl Into<Option<Duration>>) -> Result<Outcome> {
        let timeout = time::timeout(timeout.into());
        let mut outcome = 0;
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_refresh(self.as_ptr(), timeout, &mut outcome, error) })?;
        Ok(Outcome::from_raw(outcome))
    }

    /// As [`refresh`](Self::refresh), without waiting: tells a closure the end.
    ///
    /// It is called once, where the client's closures run, after the events of the same refresh. It
    /// is dropped without a call when the client is closed before, or when the last owner of the
    /// source is gone; the [`Request`] is an owner. A panic in it ends there.
    ///
    /// Any thread, also in a closure. Does not block, but the first of a process loads libcurl and
    /// libcrypto.
    ///
    /// # Errors
    /// `Closed`, `Unavailable` (no thread, libcurl or libcrypto).
    pub fn refresh_async(
        &self,
        closure: impl FnOnce(Result<Outcome>) + Send + 'static,
    ) -> Result<Request> {
        self.refresh_async_with(&RefreshOptions::default(), closure)
    }

    /// As [`refresh_async`](Self::refresh_async), with options.
    ///
    /// # Errors
    /// As `refresh_async`.
    pub fn refresh_async_with(
        &self,
        options: &RefreshOptions,
        closure: impl FnOnce(Result<Outcome>) + Send + 'static,
    ) -> Result<Request> {
        let completion: Completion = Some(Box::new(closure));
        let mut raw_options = sys::remora_refresh_options {
            struct_size: 0,
            force: 0,
            reserved: 0,
        };
        let size = mem::size_of_val(&raw_options);
        let mut request = ptr::null_mut();
        // SAFETY: the options have that size; the source lives as long as `self`; the closure is
        // the library's from here on, also when it fails.
        check(|error| unsafe {
            sys::remora_refresh_options_init(&mut raw_options, size);
            raw_options.force = options.force.into();
            sys::remora_refresh_async(
                self.as_ptr(),
                &raw_options,
                Some(tell),
                Guarded::user_data(completion, Default::default()),
                Some(Guarded::<Completion>::free),
                &mut request,
                error,
            )
        })?;
        let raw = NonNull::new(request).ok_or_else(Error::closed)?;
        // SAFETY: it was made for us.
        Ok(unsafe { Request::of_source(raw, self.clone()) })
    }
}

unsafe extern "C" fn tell(
    _status: sys::remora_status,
    outcome: i32,
    error: *const sys::remora_error,
    user_data: *mut c_void,
) {
    // SAFETY: the error lives during the call; NULL means success.
    let result = || match unsafe { Error::from_nullable(error) } {
        Some(error) => Err(error),
        None => Ok(Outcome::from_raw(outcome)),
    };
    // SAFETY: `refresh_async_with` made the user data, and this is its only call.
    unsafe { Guarded::<Completion>::complete(user_data, result) };
}
