// SPDX-License-Identifier: Apache-2.0

//! The activation and the rejection of fetched data.

use std::ptr;

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::{check, Result};
use crate::ffi::with_option;
use crate::snapshot::Snapshot;
use crate::source::Source;

/// When fetched data becomes live; until then it is staged. See `docs/activation.md` in the
/// repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Activation {
    /// Fetched data becomes live at once. The default of collections, and of settings with a tag.
    Immediate,
    /// Fetched data becomes live when the source is opened by a later client or after its last
    /// handle was closed, or by [`Source::activate`]. The default of settings.
    NextSetup,
    /// Fetched data becomes live only by [`Source::activate`], not by a restart.
    Manual,
}

impl Activation {
    /// Returns the number in C.
    pub(crate) fn raw(self) -> i32 {
        match self {
            Self::Immediate => sys::REMORA_ACTIVATION_IMMEDIATE,
            Self::NextSetup => sys::REMORA_ACTIVATION_NEXT_SETUP,
            Self::Manual => sys::REMORA_ACTIVATION_MANUAL,
        }
    }
}

impl Source {
    /// Makes the staged (stored) version live: reads return it in this process at once, and in
    /// every client that opens the source from now on. Other processes that have the source open
    /// keep their live version.
    ///
    /// Pass the snapshot that the program has checked, such as
    /// [`Event::staged_snapshot`](crate::Event::staged_snapshot), so that no later version becomes
    /// live unchecked. With `None`, any staged version becomes live. Returns
    /// [`Updated`](Outcome::Updated), or [`Unchanged`](Outcome::Unchanged) if nothing is staged or
    /// the snapshot is live already. Subscribers are notified, with the cause
    /// [`Activated`](crate::Cause::Activated).
    ///
    /// Any thread, also in a closure that Remora calls. Blocks for a running job of the thread `remora-engine`,
    /// and for file system calls.
    ///
    /// # Errors
    /// `NotFound` if the snapshot is neither staged nor live any more; `Closed`. A storage failure
    /// is not an error: see [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn activate<'s>(&self, snapshot: impl Into<Option<&'s Snapshot>>) -> Result<Outcome> {
        let snapshot = snapshot.into().map_or(ptr::null(), Snapshot::as_ptr);
        let mut outcome = 0;
        // SAFETY: the source lives as long as `self`, the snapshot during the call.
        check(|error| unsafe {
            sys::remora_activate(self.as_ptr(), snapshot, &mut outcome, error)
        })?;
        Ok(Outcome::from_raw(outcome))
    }

    /// Rejects the live or the staged version, because the program cannot work with it.
    ///
    /// Pass the snapshot that the program has checked, and a reason for the log. A rejected live
    /// version is replaced at once by the newest stored version that was live before it, or by
    /// packaged or default data. Subscribers are notified, with the cause
    /// [`Rejected`](crate::Cause::Rejected); in other processes within about a second. A refresh
    /// fails with `Rejected` until the server has another version, even after a restart or with the
    /// option `force`. Only the newest rejected version is remembered, until
    /// [`reset`](Self::reset). Does nothing if another process has already rejected the version.
    ///
    /// ```
    /// # fn is_usable(_: &remora::Snapshot) -> bool { true }
    /// # fn check(source: &remora::Source) -> Result<(), remora::Error> {
    /// let snapshot = source.snapshot()?;
    /// if !is_usable(&snapshot) {
    ///     source.reject(&snapshot, "the pool has no server")?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// Any thread, also in a closure that Remora calls. Blocks for a running job of `remora-engine`, for file
    /// system calls, and at most 5 s while another client or process has locked the files. If they
    /// stay locked, the rejection is stored later, while the client is open.
    ///
    /// # Errors
    /// `NotFound` if the snapshot is neither live nor staged any more, or has no fetched data;
    /// `InvalidArgument` if it is of another source, or the reason contains a NUL; `Closed`.
    pub fn reject<'r>(
        &self,
        snapshot: &Snapshot,
        reason: impl Into<Option<&'r str>>,
    ) -> Result<()> {
        with_option(reason.into(), "reason", |reason| {
            // SAFETY: the source lives as long as `self`, the snapshot and the text during the call.
            check(|error| unsafe {
                sys::remora_reject(self.as_ptr(), snapshot.as_ptr(), reason, error)
            })
        })
    }

    /// Freezes the live data until the client is closed: versions that are fetched later are
    /// staged, and become live when a later client opens the source. Subscribers of the source are
    /// not called any more. The freeze applies to all handles of the source. A reset or a rejection
    /// by any process, `activate`, overrides and the context still change the live data.
    ///
    /// Any thread, also in a closure that Remora calls. Blocks as [`activate`](Self::activate), and for a
    /// subscriber of the source that is running on another thread.
    ///
    /// # Errors
    /// `Closed`.
    pub fn freeze(&self) -> Result<()> {
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_freeze(self.as_ptr(), error) })
    }
}
