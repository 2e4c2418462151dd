// SPDX-License-Identifier: Apache-2.0

//! Section "events" of `remora.h`.

use crate::*;

/// Nothing yet: never fetched, nothing packaged.
pub const REMORA_ORIGIN_NONE: i32 = 0;

/// The default bundle that the host passed at open.
pub const REMORA_ORIGIN_DEFAULT: i32 = 1;

/// Packaged data that the host passed at open.
pub const REMORA_ORIGIN_PACKAGED: i32 = 2;

/// Read from storage: fetched by an earlier run.
pub const REMORA_ORIGIN_CACHED: i32 = 3;

/// Fetched in the life of this client, by this process or another.
pub const REMORA_ORIGIN_FETCHED: i32 = 4;

/// Of a key only: all of its value, or a part, is an override.
pub const REMORA_ORIGIN_OVERRIDE: i32 = 5;

/// No refresh.
pub const REMORA_OUTCOME_NONE: i32 = 0;

/// A newer version is live.
pub const REMORA_OUTCOME_UPDATED: i32 = 1;

/// The server has nothing newer.
pub const REMORA_OUTCOME_UNCHANGED: i32 = 2;

/// The server offered something older, or a bundle without a higher version; it was not used.
pub const REMORA_OUTCOME_NOT_NEWER: i32 = 3;

/// A newer version is stored and waits for its activation.
pub const REMORA_OUTCOME_STAGED: i32 = 4;

/// An answer arrived and failed a check.
pub const REMORA_OUTCOME_REFUSED: i32 = 5;

/// No usable answer arrived.
pub const REMORA_OUTCOME_FAILED: i32 = 6;

/// The state at open or at subscription (replay).
pub const REMORA_CAUSE_OPENED: i32 = 1;

/// A refresh of this client ended.
pub const REMORA_CAUSE_REFRESHED: i32 = 2;

/// Another client or process has fetched a version, and this one has picked it up.
pub const REMORA_CAUSE_ADOPTED: i32 = 3;

/// `remora_reset`.
pub const REMORA_CAUSE_RESET: i32 = 4;

/// `remora_set_context` changed what filters show.
pub const REMORA_CAUSE_CONTEXT: i32 = 5;

/// An override was set or cleared.
pub const REMORA_CAUSE_OVERRIDE: i32 = 6;

/// `remora_activate` made live what was staged.
pub const REMORA_CAUSE_ACTIVATED: i32 = 7;

extern "C" {
    /// Returns the name of an origin, such as "fetched".
    pub fn remora_origin_name(origin: i32) -> *const c_char;

    /// Returns the name of an outcome, such as "updated".
    pub fn remora_outcome_name(outcome: i32) -> *const c_char;

    /// Returns the name of a cause, such as "refreshed".
    pub fn remora_cause_name(cause: i32) -> *const c_char;
}

/// The key is new.
pub const REMORA_CHANGE_CREATED: i32 = 1;

/// The value of the key is another.
pub const REMORA_CHANGE_UPDATED: i32 = 2;

/// The key was removed.
pub const REMORA_CHANGE_DELETED: i32 = 3;

/// A value inside a snapshot: two words, passed by value, nothing to free.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_value {
    /// Private.
    pub node: *const c_void,
    /// Private.
    pub region: *const c_void,
}

/// One changed key. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_change {
    /// `REMORA_CHANGE_CREATED`, `_UPDATED` or `_DELETED`.
    pub kind: i32,
    /// `REMORA_ORIGIN_…` of the new value; NONE when deleted.
    pub origin: i32,
    /// UTF-8, NUL-terminated.
    pub key: *const c_char,
    /// Bytes, without the NUL.
    pub key_length: usize,
    /// Empty when created.
    pub old_value: remora_value,
    /// Empty when deleted.
    pub new_value: remora_value,
}

/// An A/B experiment in settings: see `remora_experiment_find`. Lengths are bytes without the NUL.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_experiment {
    /// UTF-8, NUL-terminated; not empty.
    pub name: *const c_char,
    /// Bytes.
    pub name_length: usize,
    /// UTF-8, NUL-terminated; "" if the server sends none.
    pub variant: *const c_char,
    /// Bytes.
    pub variant_length: usize,
    /// The server's number; 0 when it says none.
    pub trackable: f64,
    /// The keys that it affects: an array of strings; the empty value if the server sends none.
    pub settings: remora_value,
}

/// An event of a source. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_event {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// The handle that subscribed; never `NULL`.
    pub source: *mut remora_source,
    /// The name of the source, as in `remora_attempt`.
    pub source_name: *const c_char,
    /// `REMORA_KIND_…` of the source.
    pub kind: i32,
    /// `REMORA_CAUSE_…`
    pub cause: i32,
    /// `REMORA_OUTCOME_…`; NONE unless cause is REFRESHED, or it is STAGED.
    pub outcome: i32,
    /// `REMORA_ORIGIN_…` of `new_snapshot`.
    pub origin: i32,
    /// Of `new_snapshot`: timestamp in ms since 1970, or the bundle's version; 0 if there is none.
    pub version: i64,
    /// Sorted by key. For a subscriber of a key: that key only.
    pub changes: *const remora_change,
    /// 0 if nothing readable changed, and for cause OPENED.
    pub change_count: usize,
    /// The live snapshot before the event; never `NULL`. Retain it to keep it.
    pub old_snapshot: *const remora_snapshot,
    /// The live snapshot now; never `NULL`. Retain it to keep it.
    pub new_snapshot: *const remora_snapshot,
    /// The staged snapshot; `NULL` if nothing is staged. Retain it to keep it.
    pub staged_snapshot: *const remora_snapshot,
    /// Experiments of `new_snapshot` that were not live before; `NULL` if there are none.
    pub new_experiments: *const remora_experiment,
    /// The number of new experiments.
    pub new_experiment_count: usize,
    /// The reason for outcome REFUSED or FAILED; else `NULL`.
    pub error: *const remora_error,
    /// The last failure of storage, such as a full disk; else `NULL`.
    pub storage_error: *const remora_error,
}

/// Receives events.
pub type remora_event_callback =
    Option<unsafe extern "C" fn(event: *const remora_event, user_data: *mut c_void)>;
