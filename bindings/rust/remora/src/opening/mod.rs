// SPDX-License-Identifier: Apache-2.0

//! Opening a source, of any kind, with its first subscriber.

mod identity;

pub use identity::Identity;

use std::os::raw::c_void;
use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::events::{self, EventClosure};
use crate::ffi::Guarded;
use crate::source::Source;

/// The fields of a first subscriber, as the library takes them.
pub(crate) struct FirstSubscriber {
    pub(crate) on_event: sys::remora_event_callback,
    pub(crate) user_data: *mut c_void,
    pub(crate) free_user_data: Option<unsafe extern "C" fn(*mut c_void)>,
}

impl FirstSubscriber {
    fn new(closure: Option<EventClosure>) -> Self {
        match closure {
            Some(closure) => Self {
                on_event: Some(events::tell),
                user_data: Guarded::user_data(closure, Default::default()),
                free_user_data: Some(Guarded::<EventClosure>::free),
            },
            None => Self {
                on_event: None,
                user_data: ptr::null_mut(),
                free_user_data: None,
            },
        }
    }
}

/// The source that a call opens.
///
/// # Safety
/// The call gives the subscriber to the library, also when it fails, and stores a source of the
/// client where it is told to when it succeeds.
pub(crate) unsafe fn open_source(
    client: Client,
    on_event: Option<EventClosure>,
    call: impl FnOnce(
        *mut sys::remora_client,
        FirstSubscriber,
        *mut *mut sys::remora_source,
        *mut sys::remora_error,
    ) -> sys::remora_status,
) -> Result<Source> {
    let raw = client.handle.visit(|client| {
        let subscriber = FirstSubscriber::new(on_event);
        let mut source = ptr::null_mut();
        check(|error| call(client, subscriber, &mut source, error))?;
        NonNull::new(source).ok_or_else(Error::closed)
    })?;
    // SAFETY: it was opened for us, by the caller's word.
    unsafe { Source::new(raw, client) }
}
