// SPDX-License-Identifier: Apache-2.0

//! Sources and seeds of `remora.h`.

use crate::*;

pub const REMORA_KIND_COLLECTION: i32 = 1;
pub const REMORA_KIND_BUNDLE: i32 = 2;
pub const REMORA_KIND_SETTINGS: i32 = 3;
pub const REMORA_TRUST_REQUIRED: i32 = 0;
pub const REMORA_TRUST_OFF: i32 = 1;
pub const REMORA_ACTIVATION_DEFAULT: i32 = 0;
pub const REMORA_ACTIVATION_IMMEDIATE: i32 = 1;
pub const REMORA_ACTIVATION_NEXT_SETUP: i32 = 2;
pub const REMORA_ACTIVATION_MANUAL: i32 = 3;
pub const REMORA_FIRST_FETCH_DEFAULT: i32 = 0;
pub const REMORA_FIRST_FETCH_AT_OPEN: i32 = 1;
pub const REMORA_FIRST_FETCH_ON_REQUEST: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_source_options {
    pub struct_size: usize,
    pub first_fetch: i32,
    pub persist_overrides: i32,
    pub refresh_interval_ms: i64,
    pub on_event: remora_event_callback,
    pub on_event_user_data: *mut c_void,
    pub on_event_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    pub min_keys: i32,
    pub min_keys_percent: i32,
    pub schema: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_collection_options {
    pub struct_size: usize,
    pub name: *const c_char,
    pub bucket: *const c_char,
    pub server: *const c_char,
    pub root_sha256: *const c_char,
    pub signer: *const c_char,
    pub trust: i32,
    pub activation: i32,
    pub previous_roots: *const *const c_char,
    pub trusted_hosts: *const *const c_char,
    pub max_future_ms: i64,
    pub packaged_file: *const c_char,
    pub packaged_data: *const c_char,
    pub packaged_size: usize,
    pub packaged_attachments: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_source_info {
    pub struct_size: usize,
    pub name: *const c_char,
    pub server: *const c_char,
    pub kind: i32,
    pub origin: i32,
    pub has_staged: i32,
    pub filter_failures: i32,
    pub version: i64,
    pub fetched_at_ms: i64,
    pub checked_at_ms: i64,
    pub checked_age_ms: i64,
    pub attempted_at_ms: i64,
    pub retry_after_ms: i64,
    pub generation: u64,
    pub last_error: remora_error,
    pub storage_error: remora_error,
    pub freshness: i32,
    pub reserved: i32,
    pub rejected_version: i64,
}

pub type remora_source_visitor =
    Option<unsafe extern "C" fn(info: *const remora_source_info, user_data: *mut c_void) -> i32>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_seed_options {
    pub struct_size: usize,
    pub collection: *const remora_collection_options,
    pub bundle: *const remora_bundle_options,
    pub settings: *const remora_settings_options,
    pub identifier: *const c_char,
    pub fetched_at_ms: i64,
}

extern "C" {
    pub fn remora_open_collection(
        client: *mut remora_client,
        collection: *const remora_collection_options,
        options: *const remora_source_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_source_close(source: *mut remora_source);
    pub fn remora_source_get_info(
        source: *mut remora_source,
        out_info: *mut remora_source_info,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_source_foreach(
        client: *mut remora_client,
        visitor: remora_source_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_source_get_change_count(source: *mut remora_source) -> i64;
    pub fn remora_source_get_revision(
        source: *mut remora_source,
        out_revision: *mut *const i64,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_seed_request(
        config: *const remora_config,
        options: *const remora_seed_options,
        callback: remora_send_callback,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_seed_save(
        config: *const remora_config,
        options: *const remora_seed_options,
        file: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
}
