// SPDX-License-Identifier: Apache-2.0

//! Section "lifecycle" of `remora.h`.

use crate::*;

/// Log level: something failed.
pub const REMORA_LOG_ERROR: i32 = 1;

/// Log level: something is not as it should be. The default.
pub const REMORA_LOG_WARNING: i32 = 2;

/// Log level: what happens.
pub const REMORA_LOG_INFO: i32 = 3;

/// Log level: everything.
pub const REMORA_LOG_DEBUG: i32 = 4;

/// On a thread of the client, "remora-events". The default.
pub const REMORA_CALLBACKS_ON_THREAD: i32 = 0;

/// Inside `remora_dispatch`, on the thread that calls it. Log lines that are still queued at
/// `remora_client_close`: inside that call.
pub const REMORA_CALLBACKS_ON_DISPATCH: i32 = 1;

/// Mozilla's production server.
pub const REMORA_SERVER_PROD: &[u8; 5] = b"prod\0";

/// Mozilla's staging server.
pub const REMORA_SERVER_STAGE: &[u8; 6] = b"stage\0";

/// Mozilla's development server.
pub const REMORA_SERVER_DEV: &[u8; 4] = b"dev\0";

/// As `storage_dir`: keep everything in memory, write nothing.
pub const REMORA_STORAGE_MEMORY: &[u8; 9] = b":memory:\0";

/// A log line. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_log_entry {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// `REMORA_LOG_ERROR` to `REMORA_LOG_DEBUG`.
    pub level: i32,
    /// `REMORA_KIND_…`; 0 when the line is not about one source.
    pub kind: i32,
    /// The name of the source; `NULL` when the line is not about one source.
    pub source_name: *const c_char,
    /// One line without control characters.
    pub message: *const c_char,
}

/// Receives log lines.
pub type remora_log_callback =
    Option<unsafe extern "C" fn(entry: *const remora_log_entry, user_data: *mut c_void)>;

/// One attempt to refresh a source, after its end. All of it is valid during the callback only.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_attempt {
    /// Bytes that this library filled.
    pub struct_size: usize,
    /// The name of the source, such as "main/regions"; "monitor/changes" for a server's monitor.
    pub source_name: *const c_char,
    /// The base URL of its server, or the origin of its URL.
    pub server: *const c_char,
    /// `REMORA_KIND_…`; COLLECTION for a monitor.
    pub kind: i32,
    /// `REMORA_OUTCOME_…`; UPDATED when a monitor answered.
    pub outcome: i32,
    /// `REMORA_OK` for UPDATED, UNCHANGED, NOT_NEWER and STAGED.
    pub status: remora_status,
    /// Of the answer to the last request; 0 if no request was sent or no answer arrived.
    pub http_status: i32,
    /// From its beginning to its end; 0 when a monitor spared the request.
    pub duration_ms: i64,
    /// Of all received bodies, decoded.
    pub bytes: i64,
    /// Details when status is not `REMORA_OK`, else `NULL`.
    pub error: *const remora_error,
}

/// Receives the outcome and cost of an attempt: for telemetry.
pub type remora_attempt_callback =
    Option<unsafe extern "C" fn(attempt: *const remora_attempt, user_data: *mut c_void)>;

/// What `remora_setup` needs to know. Strings are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_config {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Directory for images and ledgers, or `REMORA_STORAGE_MEMORY`. Required. Created (0700 less
    /// the umask, with its parents) when missing.
    pub storage_dir: *const c_char,
    /// Sent in the default user agent; default "unknown".
    pub application_name: *const c_char,
    /// As above; default "0".
    pub application_version: *const c_char,
    /// As above; default: left out.
    pub application_build: *const c_char,
    /// `REMORA_SERVER_PROD/STAGE/DEV` or an http or https URL without query; default
    /// `REMORA_SERVER_PROD`. A URL ending in /v1 or /v2 is used as it is, another gets /v2.
    pub server: *const c_char,
    /// Default bucket of collections; default "main".
    pub bucket: *const c_char,
    /// Proxy URL as libcurl takes it; default none. The environment is not read.
    pub proxy: *const c_char,
    /// PEM file of TLS roots; default: libcurl's.
    pub ca_file: *const c_char,
    /// `NULL`-terminated array of "Name: value" sent with every request to a source's own server;
    /// default none.
    pub headers: *const *const c_char,
    /// Replaces the default user agent.
    pub user_agent: *const c_char,
    /// Default 10,000.
    pub connect_timeout_ms: i64,
    /// Ends a transfer below 100 bytes/s for so long; default 30,000.
    pub stall_timeout_ms: i64,
    /// Limit of a whole request; default 120,000.
    pub total_timeout_ms: i64,
    /// Limit of a body after decoding; default 16 MiB, at most 256 MiB.
    pub max_body_bytes: i64,
    /// Default `REMORA_LOG_WARNING`.
    pub log_level: i32,
    /// `REMORA_CALLBACKS_ON_THREAD` or `REMORA_CALLBACKS_ON_DISPATCH`.
    pub callbacks: i32,
    /// Default none: the library itself never prints.
    pub on_log: remora_log_callback,
    /// Passed to `on_log`.
    pub on_log_user_data: *mut c_void,
    /// Called exactly once, also when `remora_setup` fails.
    pub on_log_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Called with the outcome and cost of every refresh attempt; default none.
    pub on_attempt: remora_attempt_callback,
    /// Passed to `on_attempt`.
    pub on_attempt_user_data: *mut c_void,
    /// Called exactly once, also when `remora_setup` fails.
    pub on_attempt_free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Sends the requests instead of libcurl; default `NULL`: libcurl.
    pub transport: *const remora_transport,
    /// Replaces the machine's clocks; default `NULL`: the machine's.
    pub clock: *const remora_clock,
}

extern "C" {
    /// Makes a client. No request is sent and no thread is started.
    pub fn remora_setup(
        config: *const remora_config,
        out_client: *mut *mut remora_client,
        error: *mut remora_error,
    ) -> remora_status;

    /// Ends a client: requests end within 200 ms, waits return `REMORA_ERR_CLOSED`, no callback
    /// starts afterwards, and every `user_data` is freed.
    pub fn remora_client_close(client: *mut remora_client);
}
