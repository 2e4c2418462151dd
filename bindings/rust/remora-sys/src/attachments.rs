// SPDX-License-Identifier: Apache-2.0

//! Section "attachments" of `remora.h`.

use crate::*;

/// The progress of a download.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_progress {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// Bytes that are here, with those of an earlier download that is continued.
    pub received: i64,
    /// The size in the record.
    pub total: i64,
}

/// Receives the progress of a download.
pub type remora_progress_callback =
    Option<unsafe extern "C" fn(progress: *const remora_progress, user_data: *mut c_void)>;

/// Which attachment to open, and how. Strings are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_attachment_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Where the record is looked for; default: the source's live snapshot. It may be released once
    /// the function has returned.
    pub snapshot: *const remora_snapshot,
    /// Larger ones are not opened; default 64 MiB, -1 = off.
    pub max_bytes: i64,
    /// 1: the record is named by the location of its attachment. Records that filters hide are found too.
    pub by_location: i32,
    /// 1: no request is sent.
    pub local_only: i32,
    /// Called with the progress of the download; default none.
    pub on_progress: remora_progress_callback,
    /// Passed to `on_progress`.
    pub on_progress_user_data: *mut c_void,
    /// Called exactly once, also when opening fails.
    pub on_progress_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

extern "C" {
    /// Writes the record's own members, without `id`, `last_modified` and `attachment`, as one
    /// canonical JSON object, by the rules of `remora_snapshot_get_json`.
    pub fn remora_value_record_fields(
        record: remora_value,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Opens the attachment of a record: from the storage directory, else from the packaged
    /// attachments, else from the server, which is waited for.
    pub fn remora_attachment_open(
        source: *mut remora_source,
        record: *const c_char,
        options: *const remora_attachment_options,
        timeout_ms: i64,
        out_attachment: *mut *mut remora_attachment,
        error: *mut remora_error,
    ) -> remora_status;

    /// As `remora_attachment_open`, without waiting.
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

    /// Adds an owner.
    pub fn remora_attachment_retain(attachment: *const remora_attachment)
        -> *mut remora_attachment;

    /// Returns the bytes of an attachment. They never change.
    pub fn remora_attachment_data(attachment: *const remora_attachment) -> *const c_void;

    /// Returns the number of bytes.
    pub fn remora_attachment_size(attachment: *const remora_attachment) -> usize;

    /// Returns the file that holds the bytes, for what wants a file instead of memory; `NULL` when
    /// they are in memory only.
    pub fn remora_attachment_path(attachment: *const remora_attachment) -> *const c_char;

    /// Ends one ownership; the last one releases the bytes. The stored file stays for the next
    /// opening.
    pub fn remora_attachment_release(attachment: *mut remora_attachment);
}
