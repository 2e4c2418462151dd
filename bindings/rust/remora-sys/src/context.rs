// SPDX-License-Identifier: Apache-2.0

//! Section "context" of `remora.h`.

use crate::*;

extern "C" {
    /// Sets the application's values that filters read: a JSON object, or NULL for none. When it
    /// returns, every open source is filtered anew.
    pub fn remora_set_context(
        client: *mut remora_client,
        json: *const c_char,
        error: *mut remora_error,
    ) -> remora_status;
}
