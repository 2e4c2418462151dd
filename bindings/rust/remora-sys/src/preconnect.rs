// SPDX-License-Identifier: Apache-2.0

//! Section "before setup" of `remora.h`.

use crate::*;

/// Where to connect to ahead of time. Strings are copied.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_preconnect_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// http or https, without a fragment. Required.
    pub url: *const c_char,
    /// Sent as the query item "app", and in the default user agent. Required.
    pub application_name: *const c_char,
    /// Sent as the query item "platform"; default "linux".
    pub platform: *const c_char,
    /// As in `remora_config`; a client shares the connection when these two are the same.
    pub proxy: *const c_char,
    /// As in `remora_config`.
    pub ca_file: *const c_char,
    /// Replaces the default user agent.
    pub user_agent: *const c_char,
    /// Default 10,000.
    pub connect_timeout_ms: i64,
    /// Limit of all of it; default 30,000.
    pub total_timeout_ms: i64,
}

extern "C" {
    /// Makes a connection before it is needed, while the host does something else: sends one GET to
    /// a URL of the server, and keeps its connection for the next request of any client to the same
    /// scheme, host and port.
    pub fn remora_preconnect(
        options: *const remora_preconnect_options,
        error: *mut remora_error,
    ) -> remora_status;
}
