// SPDX-License-Identifier: Apache-2.0

//! Section "subscribe" of `remora.h`.

use crate::*;

/// How to subscribe.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_subscribe_options {
    /// Set by `remora_init`.
    pub struct_size: usize,
    /// 1: the first event is the current state, cause OPENED; default 0.
    pub replay_current: i32,
    /// Must be 0.
    pub reserved: i32,
}

extern "C" {
    /// Asks to be told of events of a source, or of changes of one key.
    pub fn remora_subscribe(
        source: *mut remora_source,
        key: *const c_char,
        options: *const remora_subscribe_options,
        callback: remora_event_callback,
        user_data: *mut c_void,
        free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
        out_subscription: *mut *mut remora_subscription,
        error: *mut remora_error,
    ) -> remora_status;

    /// Ends a subscription. When it returns the callback is not running and will not run again,
    /// except when called on a thread that is itself inside a callback of Remora's: then it does
    /// not wait, and `free_user_data` tells the true end. (A client that is being closed on another
    /// thread frees the user data there.)
    pub fn remora_unsubscribe(subscription: *mut remora_subscription);
}
