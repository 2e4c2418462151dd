// SPDX-License-Identifier: Apache-2.0

//! Section "get by key" of `remora.h`. No function of it blocks, except for the first read in a
//! forked child: see "Blocking" in `remora.h`.

use crate::*;

extern "C" {
    /// Reads a boolean; never fails.
    pub fn remora_get_bool(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: i32,
    ) -> i32;

    /// Reads an integer; never fails.
    pub fn remora_get_int(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: i64,
    ) -> i64;

    /// Reads a number; never fails.
    pub fn remora_get_double(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        default_value: f64,
    ) -> f64;

    /// Copies a string; never fails. The rules are snprintf's: at most `size` bytes are written,
    /// always NUL-terminated when size > 0, cut between characters.
    pub fn remora_get_string(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;

    /// Copies a URL: as `remora_get_string`, for strings that are an absolute URI.
    pub fn remora_get_url(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;

    /// Copies the canonical JSON text of a value of any type: as `remora_get_string` otherwise.
    pub fn remora_get_json(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;
}
