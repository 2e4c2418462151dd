// SPDX-License-Identifier: Apache-2.0

//! Section "attachments" of `remora.h`.

use crate::*;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_progress {
    pub struct_size: usize,
    pub received: i64,
    pub total: i64,
}

pub type remora_progress_callback =
    Option<unsafe extern "C" fn(progress: *const remora_progress, user_data: *mut c_void)>;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_attachment_options {
    pub struct_size: usize,
    pub snapshot: *const remora_snapshot,
    pub max_bytes: i64,
    pub by_location: i32,
    pub local_only: i32,
    pub on_progress: remora_progress_callback,
    pub on_progress_user_data: *mut c_void,
    pub on_progress_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

extern "C" {
    pub fn remora_value_record_fields(
        record: remora_value,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_attachment_open(
        source: *mut remora_source,
        record: *const c_char,
        options: *const remora_attachment_options,
        timeout_ms: i64,
        out_attachment: *mut *mut remora_attachment,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_attachment_open_async(
        source: *mut remora_source,
        record: *const c_char,
        options: *const remora_attachment_options,
        timeout_ms: i64,
        callback: remora_result_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_request: *mut *mut remora_request,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_attachment_retain(attachment: *const remora_attachment)
        -> *mut remora_attachment;
    pub fn remora_attachment_data(attachment: *const remora_attachment) -> *const c_void;
    pub fn remora_attachment_size(attachment: *const remora_attachment) -> usize;
    pub fn remora_attachment_path(attachment: *const remora_attachment) -> *const c_char;
    pub fn remora_attachment_release(attachment: *mut remora_attachment);
}
