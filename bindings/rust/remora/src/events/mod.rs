// SPDX-License-Identifier: Apache-2.0

//! Events of a source.

mod changes;
mod subscriber;
mod subscription;

pub use changes::Changes;
pub(crate) use subscriber::{subscriber, EventClosure, Subscriber};
pub use subscription::{SubscribeOptions, Subscription};

use std::fmt;

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::Error;
use crate::ffi::{copies_until_null, slice_of_pointers, text_out};
use crate::open_enum::open_enum;
use crate::snapshot::{Change, ChangeKind, Origin, RawValue, Snapshot, Value};

open_enum! {
    /// The cause of an event.
    Cause(remora_cause_name) {
        /// The state when the source was opened or subscribed to.
        Opened = REMORA_CAUSE_OPENED,
        /// A refresh of this client has completed or failed.
        Refreshed = REMORA_CAUSE_REFRESHED,
        /// A version that another client or process has fetched was picked up.
        Adopted = REMORA_CAUSE_ADOPTED,
        /// [`Source::reset`](crate::Source::reset).
        Reset = REMORA_CAUSE_RESET,
        /// [`Client::set_context`](crate::Client::set_context) changed what filters show.
        Context = REMORA_CAUSE_CONTEXT,
        /// [`Source::set_override`](crate::Source::set_override), or an override was cleared.
        Override = REMORA_CAUSE_OVERRIDE,
        /// [`Source::activate`](crate::Source::activate) made live what was staged.
        Activated = REMORA_CAUSE_ACTIVATED,
    }
}

/// An event of a source, valid until the closure returns. Keep its snapshots and changes if needed.
pub struct Event<'e> {
    raw: &'e sys::remora_event,
}

impl<'e> Event<'e> {
    pub(crate) fn new(raw: &'e sys::remora_event) -> Self {
        Self { raw }
    }

    /// What the library reported.
    pub(crate) fn raw(&self) -> &'e sys::remora_event {
        self.raw
    }

    /// Returns the cause of the event.
    pub fn cause(&self) -> Cause {
        Cause::from_raw(self.raw.cause)
    }

    /// Returns the outcome of the refresh; `None` unless the cause is [`Cause::Refreshed`], or
    /// [`Cause::Adopted`] with [`Outcome::Staged`].
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::of_event(self.raw.outcome)
    }

    /// Returns the origin of the new snapshot.
    pub fn origin(&self) -> Origin {
        Origin::from_raw(self.raw.origin)
    }

    /// Returns the version of the new snapshot: a timestamp in ms since 1970, or a bundle's
    /// version; 0 when there is none.
    pub fn version(&self) -> i64 {
        self.raw.version
    }

    /// Returns the changes, sorted by key; for a subscriber of a key, that key only.
    ///
    /// None when nothing readable changed, and for [`Cause::Opened`].
    pub fn changes(&self) -> impl ExactSizeIterator<Item = EventChange<'e>> {
        let event = self.raw;
        // SAFETY: so many changes live during the call.
        let changes = unsafe { slice_of_pointers(event.changes, event.change_count) };
        changes.iter().map(move |&raw| EventChange { raw, event })
    }

    /// Returns the earlier live snapshot, to keep.
    pub fn old_snapshot(&self) -> Snapshot {
        // SAFETY: it lives during the call, and is never NULL.
        unsafe { Snapshot::from_borrowed(self.raw.old_snapshot) }
    }

    /// Returns the new live snapshot, to keep.
    pub fn new_snapshot(&self) -> Snapshot {
        // SAFETY: it lives during the call, and is never NULL.
        unsafe { Snapshot::from_borrowed(self.raw.new_snapshot) }
    }

    /// Returns the staged snapshot, whatever the cause, to keep; `None` if nothing is staged.
    pub fn staged_snapshot(&self) -> Option<Snapshot> {
        // SAFETY: it lives during the call, and is not NULL.
        (!self.raw.staged_snapshot.is_null())
            .then(|| unsafe { Snapshot::from_borrowed(self.raw.staged_snapshot) })
    }

    /// Returns the configuration of a bundle when a Snowplow tracker would call `onSuccess`: after
    /// it was opened with data, after a new version was fetched, and after a version of another
    /// process became live. `None` for all other events, and for subscribers of a key.
    pub fn configuration(&self) -> Option<Configuration> {
        // SAFETY: the array and its names live during the call, or it is NULL.
        let namespaces = unsafe { copies_until_null(self.raw.namespaces) }?;
        let state = self.origin();
        Some(Configuration { state, namespaces })
    }

    /// Returns why the outcome is [`Refused`](Outcome::Refused) or [`Failed`](Outcome::Failed).
    pub fn error(&self) -> Option<Error> {
        // SAFETY: it lives during the call, or is NULL.
        unsafe { Error::from_nullable(self.raw.error) }
    }

    /// Returns the last failure of storage, such as a full disk.
    pub fn storage_error(&self) -> Option<Error> {
        // SAFETY: it lives during the call, or is NULL.
        unsafe { Error::from_nullable(self.raw.storage_error) }
    }
}

impl fmt::Debug for Event<'_> {
    /// Prints what happened, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("cause", &self.cause())
            .field("outcome", &self.outcome())
            .field("origin", &self.origin())
            .field("version", &self.version())
            .field("changes", &self.raw.change_count)
            .finish_non_exhaustive()
    }
}

/// The configuration of a bundle, for the host of a tracker; see [`Event::configuration`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// Where the configuration is from: `Default`, `Cached` or `Fetched`.
    pub state: Origin,
    /// The names of the namespaces of the bundle, in its order.
    pub namespaces: Vec<String>,
}

/// A changed key of an event, valid during the call; [`keep`](Self::keep) makes it last.
#[derive(Clone, Copy)]
pub struct EventChange<'e> {
    raw: &'e sys::remora_change,
    event: &'e sys::remora_event,
}

impl<'e> EventChange<'e> {
    /// Returns what happened to the key.
    pub fn kind(&self) -> ChangeKind {
        ChangeKind::from_raw(self.raw.kind)
    }

    /// Returns the key.
    pub fn key(&self) -> &'e str {
        // SAFETY: it lives during the call.
        unsafe { text_out(self.raw.key, self.raw.key_length) }.unwrap_or_default()
    }

    /// Returns the value before; `None` when the key is new.
    pub fn old_value(&self) -> Option<Value<'e>> {
        // SAFETY: it lives during the call.
        unsafe { Value::present(RawValue(self.raw.old_value)) }
    }

    /// Returns the value now; `None` if the key was removed.
    pub fn new_value(&self) -> Option<Value<'e>> {
        // SAFETY: it lives during the call.
        unsafe { Value::present(RawValue(self.raw.new_value)) }
    }

    /// Returns a change that may outlive the event.
    pub fn keep(&self) -> Change {
        let event = Event { raw: self.event };
        // SAFETY: it is a difference of the event's snapshots.
        unsafe { Change::new(self.raw, event.old_snapshot(), event.new_snapshot()) }
    }
}

impl fmt::Debug for EventChange<'_> {
    /// Prints kind and key, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.keep(), f)
    }
}
