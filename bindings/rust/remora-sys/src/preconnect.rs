// SPDX-License-Identifier: Apache-2.0

//! Section "before setup" of `remora.h`.

use crate::*;

extern "C" {
    /// Opens a connection before it is needed: one GET request is sent in the background, and the connection is kept for
    /// the next request of any client to the same scheme, host and port.
    pub fn remora_preconnect(
        config: *const remora_config,
        url: *const c_char,
        platform: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
}
