// SPDX-License-Identifier: Apache-2.0

//! Section "bundles" of `remora.h`.

use crate::*;

/// The default.
pub const REMORA_METHOD_GET: i32 = 0;

/// A POST with an empty body.
pub const REMORA_METHOD_POST: i32 = 1;

/// Which bundle to open: a versioned JSON document of namespaces, as the Snowplow mobile trackers
/// take their remote configuration. Strings are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_bundle_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// http or https; without a scheme it gets https. `NULL`: nothing is fetched.
    pub url: *const c_char,
    /// Distinguishes bundles of the same url, or without one; default "".
    pub name: *const c_char,
    /// Required beginning of `$schema` after http:// or https://, up to the number of the model.
    pub accepted_schema: *const c_char,
    /// `REMORA_METHOD_GET` or `REMORA_METHOD_POST`.
    pub method: i32,
    /// `REMORA_ACTIVATION_DEFAULT` or `IMMEDIATE`: bundles become live at once.
    pub activation: i32,
    /// JSON of the default bundle, which is live until one was fetched, and from which namespaces inherit: a bundle,
    /// or the array of its elements. Default none.
    pub default_bundle: *const c_char,
    /// Version of the default bundle, at least 1: only a higher version is used. 0: the version that
    /// `default_bundle` states, or else lower than any.
    pub default_version: i64,
}

/// A namespace of a bundle. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_namespace {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// UTF-8, NUL-terminated.
    pub name: *const c_char,
    /// Bytes, without the NUL.
    pub name_length: usize,
    /// 1: of the bundle that is live. 0: carried over, or made by an override.
    pub in_bundle: i32,
    /// 1: the first one of the default bundle.
    pub is_default: i32,
    /// `REMORA_ORIGIN_…`, as `remora_snapshot_get_origin`.
    pub origin: i32,
    /// 1: an override is in its value.
    pub has_override: i32,
}

/// Receives one namespace. May call every function of the header.
pub type remora_namespace_visitor =
    Option<unsafe extern "C" fn(entry: *const remora_namespace, user_data: *mut c_void) -> i32>;

extern "C" {
    /// Opens a bundle and makes the cached one live, or else its defaults; then starts a refresh,
    /// unless `first_fetch` is `REMORA_FIRST_FETCH_ON_REQUEST`.
    pub fn remora_open_bundle(
        client: *mut remora_client,
        bundle: *const remora_bundle_options,
        options: *const remora_source_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;

    /// Walks the active namespaces of a bundle: first those of the bundle in its order, then those
    /// that were carried over or made by an override, by their bytes.
    pub fn remora_namespace_foreach(
        source: *mut remora_source,
        snapshot: *const remora_snapshot,
        visitor: remora_namespace_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
