// SPDX-License-Identifier: Apache-2.0

//! The opening of sources of all kinds.
//!
//! Options that several builders share are a struct and a macro with its methods. A builder has the
//! struct in a field and calls the macro in its `impl`. So each option is written once, and each
//! builder has a documented method for it.

mod identity;
mod options;
mod packaged;

pub use identity::Identity;
pub(crate) use options::{opening_options, Opening};
pub(crate) use packaged::{packaged_options, Packaged};

use std::ptr::{self, NonNull};

use crate::error::{check, Error, Result};
use crate::events::{subscriber, EventClosure};
use crate::ffi::Texts;
use crate::source::Source;
use options::RawIdentity;

impl<I: Identity> Opening<I>
where
    I::Options: RawIdentity,
{
    /// Opens the source. `set` sets the options that only sources of this kind have.
    ///
    /// # Safety
    /// The pointers that `set` stores in the options must point to data that the texts own, or to
    /// static data.
    pub(crate) unsafe fn open(
        self,
        on_event: Option<EventClosure>,
        set: impl FnOnce(&mut I::Options, &mut Texts) -> Result<()>,
    ) -> Result<Source> {
        let mut texts = Texts::default();
        let mut identity = self.identity.options(&mut texts)?;
        set(&mut identity, &mut texts)?;
        let mut options = self.raw(&mut texts)?;
        let raw = self.client.handle.visit(|client| {
            // The call that opens the source owns the subscriber.
            let (callback, closure) = subscriber(on_event);
            options.on_event = callback;
            options.on_event_user_data = closure.pointer;
            options.on_event_free_user_data = closure.free;
            let mut source = ptr::null_mut();
            // SAFETY: the client lives during the visit, and the texts until it has ended; the
            // closure is the library's from here on, also when it fails.
            check(|error| unsafe {
                I::Options::OPEN(client, &identity, &options, &mut source, error)
            })?;
            NonNull::new(source).ok_or_else(Error::closed)
        })?;
        // SAFETY: the library has opened the source for us.
        Ok(unsafe { Source::new(raw, self.client) })
    }
}
