// SPDX-License-Identifier: Apache-2.0

//! Section "snapshots" of `remora.h`.

use crate::*;

/// `remora_snapshot_acquire`: all records, also those that their filters hide. For tools.
pub const REMORA_SNAPSHOT_UNFILTERED: u32 = 1;

/// The description of a snapshot.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_snapshot_info {
    /// Set to sizeof(`remora_snapshot_info`) by the caller.
    pub struct_size: usize,
    /// `REMORA_ORIGIN_…`
    pub origin: i32,
    /// 1 when a signature was verified for this data.
    pub verified: i32,
    /// Timestamp in ms since 1970; 0 without data.
    pub version: i64,
    /// When it was fetched, in ms since 1970; 0 when never.
    pub fetched_at_ms: i64,
    /// Number of keys.
    pub count: usize,
}

/// Receives one difference of two snapshots.
pub type remora_change_visitor =
    Option<unsafe extern "C" fn(change: *const remora_change, user_data: *mut c_void) -> i32>;

extern "C" {
    /// Acquires the live snapshot of a source.
    pub fn remora_snapshot_acquire(
        source: *mut remora_source,
        flags: u32,
        out_snapshot: *mut *mut remora_snapshot,
        error: *mut remora_error,
    ) -> remora_status;

    /// Adds an owner.
    pub fn remora_snapshot_retain(snapshot: *const remora_snapshot) -> *mut remora_snapshot;

    /// Ends one ownership; the last one frees the snapshot.
    pub fn remora_snapshot_release(snapshot: *mut remora_snapshot);

    /// Gets the description of a snapshot.
    pub fn remora_snapshot_get_info(
        snapshot: *const remora_snapshot,
        out_info: *mut remora_snapshot_info,
        error: *mut remora_error,
    ) -> remora_status;

    /// Returns the number of keys.
    pub fn remora_snapshot_count(snapshot: *const remora_snapshot) -> usize;

    /// Finds the value of a key.
    pub fn remora_snapshot_get(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;

    /// Does the same as `remora_snapshot_get`, with strings that have a length and need no NUL.
    pub fn remora_snapshot_get_n(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        key_length: usize,
        pointer: *const c_char,
        pointer_length: usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;

    /// Returns the key and value at a position, in a stable order: sorted by the bytes of the key.
    pub fn remora_snapshot_item(
        snapshot: *const remora_snapshot,
        index: usize,
        out_key: *mut *const c_char,
        out_key_length: *mut usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a boolean.
    pub fn remora_snapshot_get_bool(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads an integer. A double that is exactly a 64-bit integer counts.
    pub fn remora_snapshot_get_int(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut i64,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a number. An integer that is exactly a double counts.
    pub fn remora_snapshot_get_double(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut f64,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a string without copying it.
    pub fn remora_snapshot_get_string(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_string: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reads a string that is an absolute URI, without copying it.
    pub fn remora_snapshot_get_url(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_url: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Writes JSON text: of one value, or of the whole snapshot as one object.
    pub fn remora_snapshot_get_json(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Returns the origin of the value of a key.
    pub fn remora_snapshot_get_origin(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        out_origin: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Walks the differences of two snapshots in order of keys, by value: an equal value that is
    /// written differently is not a difference.
    pub fn remora_snapshot_diff(
        old_snapshot: *const remora_snapshot,
        new_snapshot: *const remora_snapshot,
        visitor: remora_change_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
