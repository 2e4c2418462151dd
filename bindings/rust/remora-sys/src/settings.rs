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
    /// 1: nothing of these settings is stored.
    pub memory_only: i32,
    /// How long data is fresh after a successful refresh. 0 is the time in the server's Cache-Control header, or one
    /// hour without it; -1: never.
    pub ttl_ms: i64,
    /// Packaged data: a document as the server would send it. Default none.
    pub packaged_file: *const c_char,
    /// Packaged data as bytes; not together with `packaged_file`.
    pub packaged_data: *const c_char,
    /// Size of `packaged_data` in bytes.
    pub packaged_size: usize,
}

/// Receives one experiment. May call every function of the header.
pub type remora_experiment_visitor = Option<
    unsafe extern "C" fn(experiment: *const remora_experiment, user_data: *mut c_void) -> i32,
>;

extern "C" {
    /// Opens settings and makes the cached ones live, or else what is packaged; then starts a
    /// refresh, unless `first_fetch` is `REMORA_FIRST_FETCH_ON_REQUEST`.
    pub fn remora_open_settings(
        client: *mut remora_client,
        settings: *const remora_settings_options,
        options: *const remora_source_options,
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
