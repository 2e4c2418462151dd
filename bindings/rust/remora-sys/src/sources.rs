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

/// What is fetched is live at once. The default of collections.
pub const REMORA_ACTIVATION_IMMEDIATE: i32 = 1;

/// What is fetched is live when a later client opens the source; or by `remora_activate`.
pub const REMORA_ACTIVATION_NEXT_SETUP: i32 = 2;

/// What is fetched is live by `remora_activate` alone, also after a restart.
pub const REMORA_ACTIVATION_MANUAL: i32 = 3;

/// Which collection to open. Strings and data are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_collection_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// [A-Za-z0-9_-]{1,128}, not starting with '-'. Required.
    pub collection: *const c_char,
    /// As in `remora_config`; default: the client's.
    pub server: *const c_char,
    /// As collection; default: the client's.
    pub bucket: *const c_char,
    /// `REMORA_TRUST_REQUIRED` or `REMORA_TRUST_OFF`.
    pub trust: i32,
    /// Must be 0.
    pub reserved: i32,
    /// SHA-256 of the root certificate (DER) that signers must chain to, 64 hex digits, colons
    /// allowed; default: production's for `REMORA_SERVER_PROD`, for any other server that of
    /// Mozilla's stage and development servers.
    pub root_sha256: *const c_char,
    /// DNS name that the leaf certificate must carry; default as the server's bucket asks:
    /// "remote-settings.content-signature.mozilla.org", for security-state buckets
    /// "onecrl.content-signature.mozilla.org".
    pub signer: *const c_char,
    /// `NULL`-terminated array of further hosts that chains may come from.
    pub trusted_hosts: *const *const c_char,
    /// Start values: a file `{"data": [records], "timestamp": N}`; default none.
    pub packaged_file: *const c_char,
    /// The same as bytes; not both.
    pub packaged_data: *const c_char,
    /// Bytes of `packaged_data`.
    pub packaged_size: usize,
    /// How far ahead a timestamp may be; default 24 h, -1 = off.
    pub max_future_ms: i64,
    /// A first subscriber, told the state at open before anything fetched.
    pub on_event: remora_event_callback,
    /// Passed to `on_event`.
    pub on_event_user_data: *mut c_void,
    /// Called exactly once, also when opening fails.
    pub on_event_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Refresh without being asked, once in about so long; at least 1,000. Default and -1: never.
    pub refresh_interval_ms: i64,
    /// NULL-terminated array of pins that `root_sha256` had before; none by default.
    pub previous_roots: *const *const c_char,
    /// Folder of attachments that the host brings, each named by the id of its record; default none.
    pub packaged_attachments: *const c_char,
    /// 1: overrides are stored, and hold at the next open; default 0.
    pub persist_overrides: i32,
    /// Must be 0.
    pub reserved2: i32,
    /// `REMORA_ACTIVATION_…`; default IMMEDIATE.
    pub activation: i32,
    /// Must be 0.
    pub reserved3: i32,
}

/// The state of a source.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_source_info {
    /// Set to sizeof(`remora_source_info`) by the caller.
    pub struct_size: usize,
    /// `REMORA_ORIGIN_…` of the live snapshot.
    pub origin: i32,
    /// Records that are hidden because their filter has no value; see the log.
    pub filter_failures: i32,
    /// Timestamp of the live snapshot in ms since 1970; 0 when none.
    pub version: i64,
    /// When its data was fetched, in ms since 1970; 0 when never.
    pub fetched_at_ms: i64,
    /// Time since the last successful refresh by anyone; -1 when never.
    pub age_ms: i64,
    /// When that was, in ms since 1970; 0 when never.
    pub last_success_ms: i64,
    /// The last attempt of anyone, in ms since 1970; 0 when never.
    pub last_attempt_ms: i64,
    /// Remaining time of the server's backoff; 0 when none.
    pub retry_after_ms: i64,
    /// Grows with every stored image of this source.
    pub generation: u64,
    /// Of the last refresh; status `REMORA_OK` when it succeeded.
    pub last_error: remora_error,
    /// The last failure of storage or cache, until one succeeds; else `REMORA_OK`.
    pub storage_error: remora_error,
    /// 1 when something newer is staged, and waits for its activation.
    pub pending: i32,
    /// 0.
    pub reserved: i32,
}

extern "C" {
    /// Opens a collection and makes its newest local data live: cached or packaged, whichever has
    /// the higher timestamp. Sends no request.
    pub fn remora_open_collection(
        client: *mut remora_client,
        options: *const remora_collection_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;

    /// Gives up a source handle. Its subscriptions, asynchronous refreshes and openings of
    /// attachments end without a further callback; their handles are still to be given up with
    /// `remora_unsubscribe` and `remora_request_release`. Open attachments stay readable.
    pub fn remora_source_close(source: *mut remora_source);

    /// Tells the state of a source.
    pub fn remora_source_get_info(
        source: *mut remora_source,
        out_info: *mut remora_source_info,
        error: *mut remora_error,
    ) -> remora_status;

    /// The address of a number that tells whether a snapshot is still the live one: for a host that
    /// keeps values of its own and asks in a nanosecond whether to read again.
    pub fn remora_source_get_revision(
        source: *mut remora_source,
        out_revision: *mut *const i64,
        error: *mut remora_error,
    ) -> remora_status;
}
