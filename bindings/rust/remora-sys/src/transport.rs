// SPDX-License-Identifier: Apache-2.0

//! Section "transport and clock" of `remora.h`.

use crate::*;

/// A request that the host sends, valid during the callback.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_http_request {
    /// Size in bytes, set by the library.
    pub struct_size: usize,
    /// Identifies the request in `remora_respond`. Greater than 0.
    pub id: i64,
    /// "GET" or "POST". The body is always empty.
    pub method: *const c_char,
    /// An absolute http or https URL.
    pub url: *const c_char,
    /// `NULL`-terminated array of "Name: value".
    pub headers: *const *const c_char,
}

/// Called with each request of a client, on the thread "remora-engine". Returns at once.
pub type remora_send_callback =
    Option<unsafe extern "C" fn(request: *const remora_http_request, user_data: *mut c_void)>;

/// Called when the result of a request that was sent is no longer needed.
pub type remora_cancel_callback =
    Option<unsafe extern "C" fn(request_id: i64, user_data: *mut c_void)>;

/// The functions by which a host sends the requests of a client, instead of libcurl.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_transport {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Required.
    pub send: remora_send_callback,
    /// Default none.
    pub cancel: remora_cancel_callback,
    /// Passed to both callbacks.
    pub user_data: *mut c_void,
    /// Called exactly once, also when `remora_setup` fails.
    pub free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The host's answer to a request: a response, or a failure.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_http_response {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// `REMORA_OK` for a response; `REMORA_ERR_NETWORK` or `REMORA_ERR_TLS` if none arrived.
    pub failure: remora_status,
    /// HTTP status, 200 to 599; 0 for a failure.
    pub http_status: i32,
    /// Describes a failure.
    pub message: *const c_char,
    /// `NULL`-terminated array of "Name: value"; default none.
    pub headers: *const *const c_char,
    /// The body, after all content encodings were decoded.
    pub body: *const c_void,
    /// Size of the body in bytes.
    pub body_size: usize,
}

/// Reads the time of a host's clock: milliseconds since 1970, and monotonic milliseconds.
pub type remora_clock_callback = Option<
    unsafe extern "C" fn(out_wall_ms: *mut i64, out_monotonic_ms: *mut i64, user_data: *mut c_void),
>;

/// A clock of the host, which replaces the machine's clocks for one client.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_clock {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// Required.
    pub read: remora_clock_callback,
    /// Passed to `read`.
    pub user_data: *mut c_void,
    /// Called exactly once, also when `remora_setup` fails.
    pub free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

extern "C" {
    /// Answers a request that a `remora_send_callback` has received. The response is copied.
    pub fn remora_respond(
        request_id: i64,
        response: *const remora_http_response,
        error: *mut remora_error,
    ) -> remora_status;

    /// Reports that the time of a host's clock has changed.
    pub fn remora_clock_changed();
}
