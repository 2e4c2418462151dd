// SPDX-License-Identifier: Apache-2.0

//! Events and subscriptions of `remora.h`.

use crate::*;

pub const REMORA_ORIGIN_NONE: i32 = 0;
pub const REMORA_ORIGIN_DEFAULT: i32 = 1;
pub const REMORA_ORIGIN_PACKAGED: i32 = 2;
pub const REMORA_ORIGIN_CACHED: i32 = 3;
pub const REMORA_ORIGIN_FETCHED: i32 = 4;
pub const REMORA_ORIGIN_OVERRIDE: i32 = 5;
pub const REMORA_OUTCOME_NONE: i32 = 0;
pub const REMORA_OUTCOME_UPDATED: i32 = 1;
pub const REMORA_OUTCOME_UNCHANGED: i32 = 2;
pub const REMORA_OUTCOME_NOT_NEWER: i32 = 3;
pub const REMORA_OUTCOME_STAGED: i32 = 4;
pub const REMORA_OUTCOME_REFUSED: i32 = 5;
pub const REMORA_OUTCOME_FAILED: i32 = 6;
pub const REMORA_CAUSE_OPENED: i32 = 1;
pub const REMORA_CAUSE_REFRESHED: i32 = 2;
pub const REMORA_CAUSE_ADOPTED: i32 = 3;
pub const REMORA_CAUSE_RESET: i32 = 4;
pub const REMORA_CAUSE_CONTEXT: i32 = 5;
pub const REMORA_CAUSE_OVERRIDE: i32 = 6;
pub const REMORA_CAUSE_ACTIVATED: i32 = 7;
pub const REMORA_CAUSE_REJECTED: i32 = 8;
pub const REMORA_CAUSE_FRESHNESS: i32 = 9;

pub const REMORA_FRESHNESS_NONE: i32 = 0;
pub const REMORA_FRESHNESS_NEVER: i32 = 1;
pub const REMORA_FRESHNESS_FRESH: i32 = 2;
pub const REMORA_FRESHNESS_STALE: i32 = 3;

pub const REMORA_CHANGE_CREATED: i32 = 1;
pub const REMORA_CHANGE_UPDATED: i32 = 2;
pub const REMORA_CHANGE_DELETED: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_value {
    pub node: *const c_void,
    pub region: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_change {
    pub struct_size: usize,
    pub kind: i32,
    pub origin: i32,
    pub key: *const c_char,
    pub key_length: usize,
    pub old_value: remora_value,
    pub new_value: remora_value,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_experiment {
    pub struct_size: usize,
    pub name: *const c_char,
    pub name_length: usize,
    pub variant: *const c_char,
    pub variant_length: usize,
    pub trackable: f64,
    pub settings: remora_value,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_event {
    pub struct_size: usize,
    pub source: *mut remora_source,
    pub source_name: *const c_char,
    pub kind: i32,
    pub cause: i32,
    pub outcome: i32,
    pub origin: i32,
    pub version: i64,
    pub changes: *const *const remora_change,
    pub change_count: usize,
    pub old_snapshot: *const remora_snapshot,
    pub new_snapshot: *const remora_snapshot,
    pub staged_snapshot: *const remora_snapshot,
    pub new_experiments: *const *const remora_experiment,
    pub new_experiment_count: usize,
    pub error: *const remora_error,
    pub storage_error: *const remora_error,
    pub namespaces: *const *const c_char,
    pub old_freshness: i32,
    pub new_freshness: i32,
}

pub type remora_event_callback =
    Option<unsafe extern "C" fn(event: *const remora_event, user_data: *mut c_void)>;

pub const REMORA_SUBSCRIBE_REPLAY: u32 = 1;

extern "C" {
    pub fn remora_origin_name(origin: i32) -> *const c_char;
    pub fn remora_outcome_name(outcome: i32) -> *const c_char;
    pub fn remora_cause_name(cause: i32) -> *const c_char;
    pub fn remora_freshness_name(freshness: i32) -> *const c_char;
    pub fn remora_source_kind_name(kind: i32) -> *const c_char;
    pub fn remora_change_kind_name(kind: i32) -> *const c_char;
    pub fn remora_type_name(kind: i32) -> *const c_char;
    pub fn remora_subscribe(
        source: *mut remora_source,
        key: *const c_char,
        flags: u32,
        callback: remora_event_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_subscription: *mut *mut remora_subscription,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_unsubscribe(subscription: *mut remora_subscription);
}
