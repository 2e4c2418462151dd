// SPDX-License-Identifier: Apache-2.0

//! Section "overrides" of `remora.h`.

use crate::*;

/// `remora_override_set`: set the value only if the live snapshot has the key.
pub const REMORA_OVERRIDE_IF_EXISTS: u32 = 1;

/// One override. All of it is valid during the callback only; lengths are bytes without the NUL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_override {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// UTF-8, NUL-terminated.
    pub key: *const c_char,
    /// Bytes of the key.
    pub key_length: usize,
    /// JSON Pointer, NUL-terminated; "" is the whole value.
    pub pointer: *const c_char,
    /// Bytes of the pointer.
    pub pointer_length: usize,
    /// Canonical JSON text, NUL-terminated.
    pub json: *const c_char,
    /// Bytes of the text.
    pub json_length: usize,
}

/// Receives one override. May call every function of the header.
pub type remora_override_visitor =
    Option<unsafe extern "C" fn(entry: *const remora_override, user_data: *mut c_void) -> i32>;

extern "C" {
    /// Sets a value that wins over every other until it is cleared: over the live data, and over
    /// versions that are fetched, adopted or packaged later; a reset leaves it.
    pub fn remora_override_set(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        json: *const c_char,
        flags: u32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Clears the override at a place and those below it. The values below them are live again.
    pub fn remora_override_clear(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;

    /// Clears all overrides of a source.
    pub fn remora_override_clear_all(
        source: *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;

    /// Walks the overrides of a source as they were at the call, in the order of the bytes of key
    /// and pointer.
    pub fn remora_override_foreach(
        source: *mut remora_source,
        visitor: remora_override_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
