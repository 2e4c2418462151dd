// SPDX-License-Identifier: Apache-2.0

//! Section "snapshots" of `remora.h`.

use crate::*;

pub const REMORA_SNAPSHOT_UNFILTERED: u32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_snapshot_info {
    pub struct_size: usize,
    pub origin: i32,
    pub verified: i32,
    pub version: i64,
    pub fetched_at_ms: i64,
    pub count: usize,
}

pub type remora_change_visitor =
    Option<unsafe extern "C" fn(change: *const remora_change, user_data: *mut c_void) -> i32>;

extern "C" {
    pub fn remora_snapshot_acquire(
        source: *mut remora_source,
        flags: u32,
        out_snapshot: *mut *mut remora_snapshot,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_retain(snapshot: *const remora_snapshot) -> *mut remora_snapshot;
    pub fn remora_snapshot_release(snapshot: *mut remora_snapshot);
    pub fn remora_snapshot_get_info(
        snapshot: *const remora_snapshot,
        out_info: *mut remora_snapshot_info,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_count(snapshot: *const remora_snapshot) -> usize;
    pub fn remora_snapshot_get(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_n(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        key_length: usize,
        pointer: *const c_char,
        pointer_length: usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_item(
        snapshot: *const remora_snapshot,
        index: usize,
        out_key: *mut *const c_char,
        out_key_length: *mut usize,
        out_value: *mut remora_value,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_bool(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_int(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut i64,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_double(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_value: *mut f64,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_string(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_string: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_url(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        out_url: *mut *const c_char,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_json(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        pointer: *const c_char,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_get_origin(
        snapshot: *const remora_snapshot,
        key: *const c_char,
        out_origin: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_snapshot_diff(
        old_snapshot: *const remora_snapshot,
        new_snapshot: *const remora_snapshot,
        visitor: remora_change_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
