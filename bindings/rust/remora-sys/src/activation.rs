// SPDX-License-Identifier: Apache-2.0

//! Section "activation" of `remora.h`.

use crate::*;

extern "C" {
    /// Makes the staged version live: in this process at once, and for every client that opens the
    /// source from now on. Other processes that have it open keep what they have.
    pub fn remora_activate(
        source: *mut remora_source,
        out_outcome: *mut i32,
        error: *mut remora_error,
    ) -> remora_status;

    /// Keeps the live data for the rest of the client's life: versions that are fetched later are
    /// staged, as with `REMORA_ACTIVATION_NEXT_SETUP`, and live when a later client opens the
    /// source.
    pub fn remora_stop_listening(
        source: *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
}
