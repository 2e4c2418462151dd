// SPDX-License-Identifier: Apache-2.0

//! Section "values" of `remora.h`.

use crate::*;

pub const REMORA_TYPE_NONE: i32 = 0;
pub const REMORA_TYPE_NULL: i32 = 1;
pub const REMORA_TYPE_BOOL: i32 = 2;
pub const REMORA_TYPE_INT: i32 = 3;
pub const REMORA_TYPE_DOUBLE: i32 = 4;
pub const REMORA_TYPE_STRING: i32 = 5;
pub const REMORA_TYPE_ARRAY: i32 = 6;
pub const REMORA_TYPE_OBJECT: i32 = 7;

extern "C" {
    pub fn remora_value_type(value: remora_value) -> i32;
    pub fn remora_value_get_bool(
        value: remora_value,
        out_value: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_get_int(
        value: remora_value,
        out_value: *mut i64,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_get_double(
        value: remora_value,
        out_value: *mut f64,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_get_string(
        value: remora_value,
        out_string: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_get_url(
        value: remora_value,
        out_url: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_get_json(
        value: remora_value,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_count(value: remora_value) -> usize;
    pub fn remora_value_member(
        value: remora_value,
        name: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_item(
        value: remora_value,
        index: usize,
        out_name: *mut *const c_char,
        out_name_length: *mut usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_value_resolve(
        value: remora_value,
        pointer: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
}
