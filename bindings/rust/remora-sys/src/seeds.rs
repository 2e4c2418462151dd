// SPDX-License-Identifier: Apache-2.0

//! Section "seeding" of `remora.h`.

use crate::*;

/// The source of a seed, which an installer downloads and saves before the host runs. Exactly one
/// of settings, bundle and collection is set, filled as the host fills it to open the source: what
/// makes up its identity must be the same. Callbacks in it and in the `remora_config` are never
/// called, and their user data is not freed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_seed_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Its seed is packaged data, as `remora dump` writes it.
    pub collection: *const remora_collection_options,
    /// With a url.
    pub bundle: *const remora_bundle_options,
    /// Without `memory_only`.
    pub settings: *const remora_settings_options,
    /// The name of the installer, which is sent to the server; default "seed".
    pub identifier: *const c_char,
    /// When the file was downloaded, in ms since 1970; default: when it was last modified. What is
    /// later than now counts as now.
    pub fetched_at_ms: i64,
}

/// The URL to download.
pub const REMORA_SEED_URL: i32 = 1;

/// "GET" or "POST"; a POST has an empty body.
pub const REMORA_SEED_METHOD: i32 = 2;

/// What to send: lines "Name: value", each ended by a line feed.
pub const REMORA_SEED_HEADERS: i32 = 3;

extern "C" {
    /// Copies a part of the request for a seed, for an installer to send; the rules are snprintf's.
    /// Sends nothing.
    pub fn remora_seed_request(
        config: *const remora_config,
        options: *const remora_seed_options,
        part: i32,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;

    /// Checks the file that an installer downloaded, and stores it for the next opening of the
    /// source.
    pub fn remora_seed_save(
        config: *const remora_config,
        options: *const remora_seed_options,
        file: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
}
