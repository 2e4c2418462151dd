// SPDX-License-Identifier: Apache-2.0

//! Section "host loop" of `remora.h`.

use crate::*;

extern "C" {
    /// Returns the descriptor that becomes readable when callbacks wait for `remora_dispatch`.
    pub fn remora_client_get_fd(
        client: *mut remora_client,
        out_fd: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Runs the callbacks that wait: those queued before the call. What they cause is for the next
    /// call, so that a callback that causes another does not block the loop.
    pub fn remora_dispatch(
        client: *mut remora_client,
        out_count: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
}
