// SPDX-License-Identifier: Apache-2.0

//! Section "subscribe" of `remora.h`.

use crate::*;

/// `remora_subscribe`: the first event is the current state, with cause OPENED.
pub const REMORA_SUBSCRIBE_REPLAY: u32 = 1;

extern "C" {
    /// Registers a callback for events of a source, or for changes of one key.
    pub fn remora_subscribe(
        source: *mut remora_source,
        key: *const c_char,
        flags: u32,
        callback: remora_event_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_subscription: *mut *mut remora_subscription,
        error: *mut remora_error,
    ) -> remora_status;

    /// Ends a subscription. When it returns the callback is not running and will not run again,
    /// except when called on a thread that is itself inside a callback of Remora's: then it does
    /// not wait, and the end is the call of `free_user_data`. (A client that is being closed on
    /// another thread frees the user data there.)
    pub fn remora_unsubscribe(subscription: *mut remora_subscription);
}
