// SPDX-License-Identifier: Apache-2.0

//! Section "refresh" of `remora.h`.

use crate::*;

/// The end of an asynchronous call of a source. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_result {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// The handle that the call was made with; never `NULL`.
    pub source: *mut remora_source,
    /// As the function that waits would have returned.
    pub status: remora_status,
    /// Of `remora_refresh_async`: `REMORA_OUTCOME_…`; else NONE.
    pub outcome: i32,
    /// Of `remora_await_async`: the fresh snapshot or the fallback; else `NULL`. Retain to keep.
    pub snapshot: *const remora_snapshot,
    /// Of `remora_attachment_open_async` when status is OK; else `NULL`. Retain to keep.
    pub attachment: *const remora_attachment,
    /// Details when status is not `REMORA_OK`, else `NULL`.
    pub error: *const remora_error,
}

/// Receives the end of an asynchronous call. Called exactly once, unless the client or the source
/// handle is closed before: then it is not called any more, and its user data is freed.
pub type remora_result_callback =
    Option<unsafe extern "C" fn(result: *const remora_result, user_data: *mut c_void)>;

/// How to refresh, await or sync. A field that the called function does not use must be 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_refresh_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Refresh: 1 ignores the server's backoff and shares no request.
    pub force: i32,
    /// Await: 1 sends no request if the source has any data.
    pub only_if_empty: i32,
    /// Refresh of a collection, and sync: the timestamp of a push message; 0 if unknown.
    pub expected_version: i64,
}

extern "C" {
    /// Requests newer settings from the server and waits until they are live.
    pub fn remora_refresh(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        out_outcome: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// As `remora_refresh`, without waiting.
    pub fn remora_refresh_async(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        callback: remora_result_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_request: *mut *mut remora_request,
        error: *mut remora_error,
    ) -> remora_status;

    /// Cancels an asynchronous refresh, sync or opening: its callback receives
    /// `REMORA_ERR_CANCELLED` unless it is complete. The transfer is cancelled if no other caller
    /// waits for it; a late answer then changes nothing.
    pub fn remora_request_cancel(request: *mut remora_request);

    /// Releases a request handle, without cancelling.
    pub fn remora_request_release(request: *mut remora_request);

    /// Waits for a fresh snapshot: the refreshed one if it arrives in time, else the one that was
    /// live at the call.
    pub fn remora_await(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        out_snapshot: *mut *mut remora_snapshot,
        error: *mut remora_error,
    ) -> remora_status;

    /// As `remora_await`, without waiting. Without a callback it prefetches.
    pub fn remora_await_async(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        callback: remora_result_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_request: *mut *mut remora_request,
        error: *mut remora_error,
    ) -> remora_status;

    /// Discards all fetched data: images, also a staged one, a seed, highest accepted version, last
    /// error. The packaged data or the default bundle is live again; the next refresh fetches the
    /// whole collection. A refresh under way ends with `REMORA_ERR_CANCELLED`. Overrides stay.
    pub fn remora_reset(source: *mut remora_source, error: *mut remora_error) -> remora_status;
}
