// SPDX-License-Identifier: Apache-2.0

//! Section "bound keys" of `remora.h`. No function of it blocks, except for the first read in a
//! forked child: see "Blocking" in `remora.h`.

use crate::*;

extern "C" {
    /// Binds a place in a source, to read it often. The key caches what is read: as long as nothing
    /// is published, a read is a few loads without a search. The caller releases the key, which stays
    /// valid when the source handle is closed.
    pub fn remora_key_bind(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        out_key: *mut *mut remora_key,
        error: *mut remora_error,
    ) -> remora_status;

    /// Releases a bound key. No other thread may use it any more.
    pub fn remora_key_release(key: *mut remora_key);

    /// Reads a boolean, as `remora_get_bool`.
    pub fn remora_key_get_bool(key: *mut remora_key, default_value: i32) -> i32;

    /// Reads an integer, as `remora_get_int`.
    pub fn remora_key_get_int(key: *mut remora_key, default_value: i64) -> i64;

    /// Reads a number, as `remora_get_double`.
    pub fn remora_key_get_double(key: *mut remora_key, default_value: f64) -> f64;

    /// Copies a string, as `remora_get_string`. Strings of up to 64 bytes are cached.
    pub fn remora_key_get_string(
        key: *mut remora_key,
        buffer: *mut c_char,
        size: usize,
        default_value: *const c_char,
    ) -> usize;

    /// Returns how often the value was found to have changed since the key was bound. Changes
    /// between two calls count as one.
    pub fn remora_key_get_change_count(key: *mut remora_key) -> i64;
}
