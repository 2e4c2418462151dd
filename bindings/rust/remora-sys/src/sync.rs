// SPDX-License-Identifier: Apache-2.0

//! Section "sync" of `remora.h`.

use crate::*;

/// What a sync did for one source. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_sync_item {
    /// The name of the source, such as "main/regions".
    pub source_name: *const c_char,
    /// The base URL of its server, or the origin of its URL.
    pub server: *const c_char,
    /// `REMORA_KIND_…`
    pub kind: i32,
    /// `REMORA_OUTCOME_…`
    pub outcome: i32,
    /// The reason if outcome is REFUSED or FAILED; else `NULL`.
    pub error: *const remora_error,
}

/// The results of a sync. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_sync_report {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// One per source that was open at the call, in the order of opening.
    pub items: *const remora_sync_item,
    /// updated + unchanged + staged + failed.
    pub item_count: usize,
    /// Sources with outcome UPDATED.
    pub updated: usize,
    /// With UNCHANGED or NOT_NEWER.
    pub unchanged: usize,
    /// With STAGED.
    pub staged: usize,
    /// With REFUSED or FAILED.
    pub failed: usize,
    /// The first failure, with the counts in its message; `NULL` if no source failed.
    pub error: *const remora_error,
}

/// Receives the results of a sync. Must return; must not throw or longjmp.
pub type remora_sync_callback =
    Option<unsafe extern "C" fn(report: *const remora_sync_report, user_data: *mut c_void)>;

extern "C" {
    /// Refreshes the changed sources of a client, and waits until they are live.
    pub fn remora_sync(
        client: *mut remora_client,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        callback: remora_sync_callback,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;

    /// As `remora_sync`, without waiting. The callback is called exactly once, unless the client is
    /// closed before: then it is not called any more, and its user data is freed.
    pub fn remora_sync_async(
        client: *mut remora_client,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        callback: remora_sync_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_request: *mut *mut remora_request,
        error: *mut remora_error,
    ) -> remora_status;
}
