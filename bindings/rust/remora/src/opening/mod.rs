// SPDX-License-Identifier: Apache-2.0

//! Opening a source, of any kind, with its first subscriber.

mod identity;

pub use identity::Identity;

use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::client::Client;
use crate::error::{check, Error, Result};
use crate::events::{subscriber, EventClosure, Subscriber};
use crate::source::Source;

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
        Subscriber,
        *mut *mut sys::remora_source,
        *mut sys::remora_error,
    ) -> sys::remora_status,
) -> Result<Source> {
    let raw = client.handle.visit(|client| {
        let subscriber = subscriber(on_event);
        let mut source = ptr::null_mut();
        check(|error| call(client, subscriber, &mut source, error))?;
        NonNull::new(source).ok_or_else(Error::closed)
    })?;
    // SAFETY: it was opened for us, by the caller's word.
    unsafe { Source::new(raw, client) }
}
