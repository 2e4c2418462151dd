// SPDX-License-Identifier: Apache-2.0

//! When what is fetched becomes live.

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::{check, Result};
use crate::source::Source;

/// When what is fetched becomes live; until then it is staged. The repository's
/// `docs/activation.md` has the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// At once. The default of collections, and of settings with a tag.
    Immediate,
    /// When a later client opens the source; or by [`Source::activate`]. The default of settings.
    NextSetup,
    /// By [`Source::activate`] alone, also after a restart.
    Manual,
}

impl Activation {
    /// Returns the number that the library takes.
    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Immediate => sys::REMORA_ACTIVATION_IMMEDIATE,
            Self::NextSetup => sys::REMORA_ACTIVATION_NEXT_SETUP,
            Self::Manual => sys::REMORA_ACTIVATION_MANUAL,
        }
    }
}

impl Source {
    /// Makes the staged version live: in this process at once, and for every client that opens the
    /// source from now on. Other processes that have it open keep what they have.
    ///
    /// Returns [`Updated`](Outcome::Updated), or [`Unchanged`](Outcome::Unchanged) if nothing was
    /// staged. Subscribers are notified of the changes, cause
    /// [`Activated`](crate::Cause::Activated).
    ///
    /// Any thread, including in a closure. Blocks for the job of the engine thread that is running,
    /// and for file system calls.
    ///
    /// # Errors
    /// `Closed`. A storage failure is not an error: see
    /// [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn activate(&self) -> Result<Outcome> {
        let mut outcome = 0;
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_activate(self.as_ptr(), &mut outcome, error) })?;
        Ok(Outcome::from_raw(outcome))
    }

    /// Keeps the live data for the rest of the client's life: versions that are fetched later are
    /// staged, and live when a later client opens the source. Subscribers of the source are not
    /// called any more. This applies to all handles of the source.
    ///
    /// Any thread, including in a closure. Blocks as [`activate`](Self::activate), and for a
    /// closure of the source's subscriptions that is running on another thread.
    ///
    /// # Errors
    /// `Closed`.
    pub fn stop_listening(&self) -> Result<()> {
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_stop_listening(self.as_ptr(), error) })
    }
}
