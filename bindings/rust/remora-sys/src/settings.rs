// SPDX-License-Identifier: Apache-2.0

//! Section "settings" of `remora.h`.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_settings_options {
    pub struct_size: usize,
    pub url: *const c_char,
    pub request_params: *const *const c_char,
    pub root_key: *const c_char,
    pub tag: *const c_char,
    pub tag_item: *const c_char,
    pub activation: i32,
    pub memory_only: i32,
    pub ttl_ms: i64,
    pub packaged_file: *const c_char,
    pub packaged_data: *const c_char,
    pub packaged_size: usize,
    pub required_keys: *const *const c_char,
}

pub type remora_experiment_visitor = Option<
    unsafe extern "C" fn(experiment: *const remora_experiment, user_data: *mut c_void) -> i32,
>;

extern "C" {
    pub fn remora_open_settings(
        client: *mut remora_client,
        settings: *const remora_settings_options,
        options: *const remora_source_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_open_tag(
        settings: *mut remora_source,
        tag: *const c_char,
        ttl_ms: i64,
        out_tag: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_experiment_find(
        snapshot: *const remora_snapshot,
        name: *const c_char,
        out_experiment: *mut remora_experiment,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_experiment_foreach(
        snapshot: *const remora_snapshot,
        visitor: remora_experiment_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
