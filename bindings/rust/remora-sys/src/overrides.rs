// SPDX-License-Identifier: Apache-2.0

//! Section "overrides" of `remora.h`.

use crate::*;

pub const REMORA_OVERRIDE_IF_EXISTS: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_override {
    pub struct_size: usize,
    pub key: *const c_char,
    pub key_length: usize,
    pub pointer: *const c_char,
    pub pointer_length: usize,
    pub json: *const c_char,
    pub json_length: usize,
}

pub type remora_override_visitor =
    Option<unsafe extern "C" fn(entry: *const remora_override, user_data: *mut c_void) -> i32>;

extern "C" {
    pub fn remora_override_set(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        json: *const c_char,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_set_bool(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        value: i32,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_set_int(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        value: i64,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_set_double(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        value: f64,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_set_string(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        value: *const c_char,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_clear(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_clear_all(
        source: *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_override_foreach(
        source: *mut remora_source,
        visitor: remora_override_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
