// SPDX-License-Identifier: Apache-2.0

//! Section "values" of `remora.h`.

use crate::*;

/// The empty value: not part of any snapshot.
pub const REMORA_TYPE_NONE: i32 = 0;

/// JSON null.
pub const REMORA_TYPE_NULL: i32 = 1;

/// A boolean.
pub const REMORA_TYPE_BOOL: i32 = 2;

/// A 64-bit integer.
pub const REMORA_TYPE_INT: i32 = 3;

/// A double.
pub const REMORA_TYPE_DOUBLE: i32 = 4;

/// A string.
pub const REMORA_TYPE_STRING: i32 = 5;

/// An array.
pub const REMORA_TYPE_ARRAY: i32 = 6;

/// An object.
pub const REMORA_TYPE_OBJECT: i32 = 7;

extern "C" {
    /// Returns the type of a value.
    pub fn remora_value_type(value: remora_value) -> i32;

    /// Reads a boolean.
    pub fn remora_value_get_bool(
        value: remora_value,
        out_value: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads an integer. A double that is exactly a 64-bit integer counts.
    pub fn remora_value_get_int(
        value: remora_value,
        out_value: *mut i64,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a number. An integer that is exactly a double counts.
    pub fn remora_value_get_double(
        value: remora_value,
        out_value: *mut f64,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a string without copying it.
    pub fn remora_value_get_string(
        value: remora_value,
        out_string: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a string that is an absolute URI, by the rules of `remora_get_url`, without copying it.
    pub fn remora_value_get_url(
        value: remora_value,
        out_url: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Writes the canonical JSON text of a value, by the rules of `remora_snapshot_get_json`.
    pub fn remora_value_get_json(
        value: remora_value,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Returns the number of elements of an array or members of an object; 0 for anything else.
    pub fn remora_value_count(value: remora_value) -> usize;

    /// Returns a member of an object, by name.
    pub fn remora_value_member(
        value: remora_value,
        name: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;

    /// Returns the element of an array or the member of an object at a position, members in the
    /// order of their names' bytes.
    pub fn remora_value_item(
        value: remora_value,
        index: usize,
        out_name: *mut *const c_char,
        out_name_length: *mut usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;

    /// Follows a JSON Pointer (RFC 6901).
    pub fn remora_value_resolve(
        value: remora_value,
        pointer: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
}
