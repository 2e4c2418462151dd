// SPDX-License-Identifier: Apache-2.0

//! Sections "refresh", "sync" and "activation" of `remora.h`.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_result {
    pub struct_size: usize,
    pub source: *mut remora_source,
    pub status: remora_status,
    pub outcome: i32,
    pub snapshot: *const remora_snapshot,
    pub attachment: *const remora_attachment,
    pub error: *const remora_error,
}

pub type remora_result_callback =
    Option<unsafe extern "C" fn(result: *const remora_result, user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_refresh_options {
    pub struct_size: usize,
    pub force: i32,
    pub only_if_empty: i32,
    pub expected_version: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_sync_item {
    pub struct_size: usize,
    pub source_name: *const c_char,
    pub server: *const c_char,
    pub kind: i32,
    pub outcome: i32,
    pub error: *const remora_error,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_sync_report {
    pub struct_size: usize,
    pub items: *const *const remora_sync_item,
    pub item_count: usize,
    pub updated: usize,
    pub unchanged: usize,
    pub staged: usize,
    pub failed: usize,
    pub error: *const remora_error,
}

pub type remora_sync_callback =
    Option<unsafe extern "C" fn(report: *const remora_sync_report, user_data: *mut c_void)>;

extern "C" {
    pub fn remora_refresh(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        out_outcome: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
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
    pub fn remora_request_cancel(request: *mut remora_request);
    pub fn remora_request_release(request: *mut remora_request);
    pub fn remora_await(
        source: *mut remora_source,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        out_snapshot: *mut *mut remora_snapshot,
        error: *mut remora_error,
    ) -> remora_status;
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
    pub fn remora_reset(source: *mut remora_source, error: *mut remora_error) -> remora_status;
    pub fn remora_activate(
        source: *mut remora_source,
        snapshot: *const remora_snapshot,
        out_outcome: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_reject(
        source: *mut remora_source,
        snapshot: *const remora_snapshot,
        reason: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_freeze(source: *mut remora_source, error: *mut remora_error) -> remora_status;
    pub fn remora_sync(
        client: *mut remora_client,
        options: *const remora_refresh_options,
        timeout_ms: i64,
        callback: remora_sync_callback,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
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
