// SPDX-License-Identifier: Apache-2.0

//! Section "settings" of `remora.h`.

use crate::*;

/// Which settings to open: a JSON dictionary of keys and values, as the PAPulse SDK fetches its
/// remote settings. Strings and arrays are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_settings_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// http or https; without a scheme it gets https.
    pub url: *const c_char,
    /// `NULL`-terminated: name, value, name, value, … Added to the query of every request.
    pub request_params: *const *const c_char,
    /// The member of the document that holds the dictionary; default none.
    pub root_key: *const c_char,
    /// Opens the dictionary of this tag instead of the main one; default none.
    pub tag: *const c_char,
    /// The query item that names the tag; default "tag".
    pub tag_item: *const c_char,
    /// `REMORA_ACTIVATION_…`; default `NEXT_SETUP`, with a tag always `IMMEDIATE`.
    pub activation: i32,
    /// 0, the default, begins one refresh at each open, for which nobody waits; -1 does not.
    pub fetch_at_open: i32,
    /// 1: nothing of these settings is stored.
    pub memory_only: i32,
    /// As in `remora_collection_options`; must be 0 with `memory_only`.
    pub persist_overrides: i32,
    /// A document as the server would answer it, live until something was fetched. Default none.
    pub packaged_file: *const c_char,
    /// The same as bytes; not both.
    pub packaged_data: *const c_char,
    /// Bytes of `packaged_data`.
    pub packaged_size: usize,
    /// A first subscriber, told the state at open before anything else.
    pub on_event: remora_event_callback,
    /// Passed to `on_event`.
    pub on_event_user_data: *mut c_void,
    /// Called exactly once, also when opening fails.
    pub on_event_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    /// As in `remora_collection_options`.
    pub refresh_interval_ms: i64,
    /// How long after a success `remora_await` takes what is there. 0 is what the server's
    /// Cache-Control says, or else one hour; -1 always asks. A subscribed tag is refreshed when it
    /// expires.
    pub ttl_ms: i64,
}

/// Receives one experiment. May call every function of the header.
pub type remora_experiment_visitor = Option<
    unsafe extern "C" fn(experiment: *const remora_experiment, user_data: *mut c_void) -> i32,
>;

extern "C" {
    /// Opens settings and makes the cached ones live, or else what is packaged; then begins a
    /// refresh, unless `fetch_at_open` says no.
    pub fn remora_open_settings(
        client: *mut remora_client,
        options: *const remora_settings_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;

    /// Finds an A/B experiment of settings by its name: which variant the server chose.
    pub fn remora_experiment_find(
        snapshot: *const remora_snapshot,
        name: *const c_char,
        out_experiment: *mut remora_experiment,
        error: *mut remora_error,
    ) -> remora_status;

    /// Walks the experiments of a snapshot: those of an array in its order, those of an object by the
    /// bytes of their names.
    pub fn remora_experiment_foreach(
        snapshot: *const remora_snapshot,
        visitor: remora_experiment_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
