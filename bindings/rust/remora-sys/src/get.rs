// SPDX-License-Identifier: Apache-2.0

//! Reads of a source, and bound keys of `remora.h`.

use crate::*;

extern "C" {
    pub fn remora_get_bool(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: i32,
    ) -> i32;
    pub fn remora_get_int(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: i64,
    ) -> i64;
    pub fn remora_get_double(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: f64,
    ) -> f64;
    pub fn remora_get_string(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_get_url(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_get_json(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_key_bind(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        out_key: *mut *mut remora_key,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_key_release(key: *mut remora_key);
    pub fn remora_key_get_bool(key: *mut remora_key, default_value: i32) -> i32;
    pub fn remora_key_get_int(key: *mut remora_key, default_value: i64) -> i64;
    pub fn remora_key_get_double(key: *mut remora_key, default_value: f64) -> f64;
    pub fn remora_key_get_string(
        key: *mut remora_key,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_key_get_url(
        key: *mut remora_key,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_key_get_json(
        key: *mut remora_key,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
    pub fn remora_key_get_change_count(key: *mut remora_key) -> i64;
}
