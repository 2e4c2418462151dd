// SPDX-License-Identifier: Apache-2.0

//! The C callback of closures that receive events.

use std::os::raw::c_void;

use remora_sys as sys;

use crate::events::Event;
use crate::ffi::{Guarded, UserData};

pub(crate) type EventClosure = Box<dyn FnMut(&Event<'_>) + Send>;

/// A callback and its user data, in the types of the library.
pub(crate) type Subscriber = (sys::remora_event_callback, UserData);

/// Returns a subscriber that calls the closure, if any.
pub(crate) fn subscriber(closure: Option<EventClosure>) -> Subscriber {
    closure.map_or((None, UserData::NONE), |closure| {
        (
            Some(notify as _),
            Guarded::user_data(closure, Default::default()),
        )
    })
}

/// The callback of every subscriber; its user data is a `Guarded<EventClosure>`.
pub(super) unsafe extern "C" fn notify(event: *const sys::remora_event, user_data: *mut c_void) {
    let notify = |closure: &mut EventClosure| {
        // SAFETY: the event lives during the call.
        closure(&Event::new(unsafe { &*event }))
    };
    // SAFETY: the code that registers this made the user data, and the library calls it once at a
    // time.
    unsafe { Guarded::<EventClosure>::call(user_data, notify) };
}
