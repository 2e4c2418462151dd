// SPDX-License-Identifier: Apache-2.0

//! Sections "version", "lifecycle", "context", "preconnect" and "host loop" of `remora.h`.

use crate::*;

pub const REMORA_LOG_ERROR: i32 = 1;
pub const REMORA_LOG_WARNING: i32 = 2;
pub const REMORA_LOG_INFO: i32 = 3;
pub const REMORA_LOG_DEBUG: i32 = 4;
pub const REMORA_CALLBACKS_ON_THREAD: i32 = 0;
pub const REMORA_CALLBACKS_ON_DISPATCH: i32 = 1;
pub const REMORA_SERVER_PROD: &[u8; 5] = b"prod\0";
pub const REMORA_SERVER_STAGE: &[u8; 6] = b"stage\0";
pub const REMORA_SERVER_DEV: &[u8; 4] = b"dev\0";
pub const REMORA_STORAGE_MEMORY: &[u8; 9] = b":memory:\0";

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_log_entry {
    pub struct_size: usize,
    pub level: i32,
    pub kind: i32,
    pub source_name: *const c_char,
    pub message: *const c_char,
}

pub type remora_log_callback =
    Option<unsafe extern "C" fn(entry: *const remora_log_entry, user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_attempt {
    pub struct_size: usize,
    pub source_name: *const c_char,
    pub server: *const c_char,
    pub kind: i32,
    pub outcome: i32,
    pub status: remora_status,
    pub http_status: i32,
    pub duration_ms: i64,
    pub bytes: i64,
    pub error: *const remora_error,
}

pub type remora_attempt_callback =
    Option<unsafe extern "C" fn(attempt: *const remora_attempt, user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_config {
    pub struct_size: usize,
    pub storage_dir: *const c_char,
    pub application_name: *const c_char,
    pub application_version: *const c_char,
    pub application_build: *const c_char,
    pub server: *const c_char,
    pub bucket: *const c_char,
    pub proxy: *const c_char,
    pub ca_file: *const c_char,
    pub headers: *const *const c_char,
    pub user_agent: *const c_char,
    pub connect_timeout_ms: i64,
    pub stall_timeout_ms: i64,
    pub total_timeout_ms: i64,
    pub max_body_bytes: i64,
    pub log_level: i32,
    pub callbacks: i32,
    pub on_log: remora_log_callback,
    pub on_log_user_data: *mut c_void,
    pub on_log_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    pub on_attempt: remora_attempt_callback,
    pub on_attempt_user_data: *mut c_void,
    pub on_attempt_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    pub transport: *const remora_transport,
    pub clock: *const remora_clock,
    pub client_certificate_file: *const c_char,
    pub client_key_file: *const c_char,
    pub max_stale_ms: i64,
}

pub const REMORA_VERSION_MAJOR: i32 = 0;
pub const REMORA_VERSION_MINOR: i32 = 1;
pub const REMORA_VERSION_PATCH: i32 = 0;
pub const REMORA_VERSION: &[u8; 6] = b"0.1.0\0";

extern "C" {
    pub fn remora_setup(
        config: *const remora_config,
        out_client: *mut *mut remora_client,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_client_close(client: *mut remora_client);
    pub fn remora_version() -> *const c_char;
    pub fn remora_init(structure: *mut c_void, struct_size: usize);
    pub fn remora_set_context(
        client: *mut remora_client,
        json: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_set_headers(
        client: *mut remora_client,
        headers: *const *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_filter_matches(
        expression: *const c_char,
        context_json: *const c_char,
        out_matches: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_preconnect(
        config: *const remora_config,
        url: *const c_char,
        platform: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_client_get_fd(
        client: *mut remora_client,
        out_fd: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_dispatch(
        client: *mut remora_client,
        out_count: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
}
