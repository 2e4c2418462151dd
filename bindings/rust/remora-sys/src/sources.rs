// SPDX-License-Identifier: Apache-2.0

//! Section "sources" of `remora.h`.

use crate::*;

/// A collection of a Remote Settings server.
pub const REMORA_KIND_COLLECTION: i32 = 1;

/// A bundle of namespaces.
pub const REMORA_KIND_BUNDLE: i32 = 2;

/// A dictionary of settings.
pub const REMORA_KIND_SETTINGS: i32 = 3;

/// Signature and chain must verify. The default.
pub const REMORA_TRUST_REQUIRED: i32 = 0;

/// Nothing is verified: for servers that do not sign.
pub const REMORA_TRUST_OFF: i32 = 1;

/// `NEXT_SETUP` for settings without a tag, else `IMMEDIATE`.
pub const REMORA_ACTIVATION_DEFAULT: i32 = 0;

/// A fetched version becomes live at once.
pub const REMORA_ACTIVATION_IMMEDIATE: i32 = 1;

/// A fetched version becomes live when a later client opens the source, or by `remora_activate`.
pub const REMORA_ACTIVATION_NEXT_SETUP: i32 = 2;

/// A fetched version becomes live only by `remora_activate`, also after a restart.
pub const REMORA_ACTIVATION_MANUAL: i32 = 3;

/// `AT_OPEN` for settings and for bundles with a url; `ON_REQUEST` for collections.
pub const REMORA_FIRST_FETCH_DEFAULT: i32 = 0;

/// Each opening starts a refresh.
pub const REMORA_FIRST_FETCH_AT_OPEN: i32 = 1;

/// The first request is sent by a refresh, await or sync, or after `refresh_interval_ms`.
pub const REMORA_FIRST_FETCH_ON_REQUEST: i32 = 2;

/// Options that sources of all kinds share.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_source_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// `REMORA_FIRST_FETCH_…`.
    pub first_fetch: i32,
    /// 1: overrides are stored, and restored at the next open; default 0.
    pub persist_overrides: i32,
    /// Refreshes the source in the background, once in about this time; at least 1,000. Default and -1: never.
    pub refresh_interval_ms: i64,
    /// First subscriber; default none. It receives the state at open before any fetched data.
    pub on_event: remora_event_callback,
    /// Passed to `on_event`.
    pub on_event_user_data: *mut c_void,
    /// Called exactly once, also when opening fails.
    pub on_event_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// A collection of a Remote Settings server, and how it is verified. Strings, arrays and data are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_collection_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// [A-Za-z0-9_-]{1,128}, not starting with '-'. Required.
    pub name: *const c_char,
    /// Same form as name; default: the client's.
    pub bucket: *const c_char,
    /// As in `remora_config`; default: the client's.
    pub server: *const c_char,
    /// SHA-256 of the root certificate (DER) of the signers, 64 hexadecimal digits, colons allowed. Default:
    /// production's root for `REMORA_SERVER_PROD`, else the root of Mozilla's stage and development servers.
    pub root_sha256: *const c_char,
    /// DNS name in the leaf certificate. Default: "onecrl.content-signature.mozilla.org" for security-state
    /// buckets, else "remote-settings.content-signature.mozilla.org".
    pub signer: *const c_char,
    /// `REMORA_TRUST_REQUIRED` or `REMORA_TRUST_OFF`.
    pub trust: i32,
    /// `REMORA_ACTIVATION_…`; default IMMEDIATE.
    pub activation: i32,
    /// `NULL`-terminated array of at most 8 earlier values of `root_sha256`; default none.
    pub previous_roots: *const *const c_char,
    /// `NULL`-terminated array of further hosts that may serve certificate chains.
    pub trusted_hosts: *const *const c_char,
    /// How far in the future a timestamp may be; default 24 h, -1 = off.
    pub max_future_ms: i64,
    /// Packaged data: a file `{"data": [records], "timestamp": N}`; default none.
    pub packaged_file: *const c_char,
    /// Packaged data as bytes; not together with `packaged_file`.
    pub packaged_data: *const c_char,
    /// Size of `packaged_data` in bytes.
    pub packaged_size: usize,
    /// Folder of packaged attachments, each named by the id of its record; default none.
    pub packaged_attachments: *const c_char,
}

/// The state of a source.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_source_info {
    /// Set to sizeof(`remora_source_info`) by the caller.
    pub struct_size: usize,
    /// Bucket and collection, such as "main/regions"; else the URL without query, followed by "#" and the tag of
    /// settings, or by a space and the name of a bundle.
    pub name: *const c_char,
    /// The base URL of a collection's server; else the origin of the URL; "" for a bundle without url.
    pub server: *const c_char,
    /// `REMORA_KIND_…`
    pub kind: i32,
    /// `REMORA_ORIGIN_…` of the live snapshot.
    pub origin: i32,
    /// 1 if a newer version waits for its activation.
    pub has_staged: i32,
    /// Number of records that are hidden because their filter failed; see the log.
    pub filter_failures: i32,
    /// Of the live snapshot: a timestamp, or the version of a bundle; 0 without data.
    pub version: i64,
    /// When the live data was fetched, in ms since 1970; 0 if it was not.
    pub fetched_at_ms: i64,
    /// The last successful refresh by any process, in ms since 1970; 0 if there was none.
    pub checked_at_ms: i64,
    /// The time since then; -1 if there was none.
    pub checked_age_ms: i64,
    /// The last attempt by any process, in ms since 1970; 0 if there was none.
    pub attempted_at_ms: i64,
    /// Remaining time of the server's backoff; 0 if there is none.
    pub retry_after_ms: i64,
    /// Increases with every stored image of this source.
    pub generation: u64,
    /// Of the last refresh; status `REMORA_OK` if it succeeded.
    pub last_error: remora_error,
    /// The last failure of storage or cache, until one succeeds; else `REMORA_OK`.
    pub storage_error: remora_error,
}

/// Receives the state of one source. May call every function of the header.
pub type remora_source_visitor =
    Option<unsafe extern "C" fn(info: *const remora_source_info, user_data: *mut c_void) -> i32>;

extern "C" {
    /// Opens a collection and makes its newest local data live: cached or packaged, whichever has
    /// the higher timestamp. By default it sends no request.
    pub fn remora_open_collection(
        client: *mut remora_client,
        collection: *const remora_collection_options,
        options: *const remora_source_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;

    /// Closes a source handle. Its subscriptions, asynchronous refreshes and openings of
    /// attachments end without a further callback; their handles are still to be released with
    /// `remora_unsubscribe` and `remora_request_release`. Open attachments stay readable.
    pub fn remora_source_close(source: *mut remora_source);

    /// Gets the state of a source.
    pub fn remora_source_get_info(
        source: *mut remora_source,
        out_info: *mut remora_source_info,
        error: *mut remora_error,
    ) -> remora_status;

    /// Calls a visitor with the state of each open source of a client, in the order of opening.
    pub fn remora_source_foreach(
        client: *mut remora_client,
        visitor: remora_source_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;

    /// Gets the address of a number that changes with the live snapshot. Use it to keep converted
    /// values, and to convert again only if the number has changed.
    pub fn remora_source_get_revision(
        source: *mut remora_source,
        out_revision: *mut *const i64,
        error: *mut remora_error,
    ) -> remora_status;
}
