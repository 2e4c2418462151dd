// SPDX-License-Identifier: Apache-2.0

//! Events of a source.

mod changes;
mod subscriber;
mod subscription;

pub use changes::Changes;
pub(crate) use subscriber::{subscriber, EventClosure};
pub use subscription::{SubscribeOptions, Subscription};

use std::fmt;

use remora_sys as sys;

use crate::client::Outcome;
use crate::error::Error;
use crate::ffi::{copies_until_null, slice_of_pointers, text_out};
use crate::open_enum::open_enum;
use crate::snapshot::{Change, ChangeKind, Origin, RawValue, Snapshot, Value};
use crate::source::Freshness;

open_enum! {
    /// The cause of an event.
    Cause(remora_cause_name) {
        /// The first event of `on_event` or with `replay_current`: it reports the current state.
        Opened = REMORA_CAUSE_OPENED,
        /// A refresh of this client has completed or failed.
        Refreshed = REMORA_CAUSE_REFRESHED,
        /// A version that another client or process has fetched was picked up.
        Adopted = REMORA_CAUSE_ADOPTED,
        /// [`Source::reset`](crate::Source::reset) has discarded the fetched data.
        Reset = REMORA_CAUSE_RESET,
        /// [`Client::set_context`](crate::Client::set_context) has changed which records filters
        /// hide.
        Context = REMORA_CAUSE_CONTEXT,
        /// An override was set or cleared.
        Override = REMORA_CAUSE_OVERRIDE,
        /// [`Source::activate`](crate::Source::activate) has made the staged version live.
        Activated = REMORA_CAUSE_ACTIVATED,
        /// [`Source::reject`](crate::Source::reject), in this or another process, has removed the
        /// live or the staged version.
        Rejected = REMORA_CAUSE_REJECTED,
        /// The freshness has changed. Not reported to subscribers of a key.
        Freshness = REMORA_CAUSE_FRESHNESS,
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

    /// Returns the library's structure.
    pub(crate) fn raw(&self) -> &'e sys::remora_event {
        self.raw
    }

    /// Returns the cause of the event.
    pub fn cause(&self) -> Cause {
        Cause::from_raw(self.raw.cause)
    }

    /// Returns the outcome of the refresh, if the cause is [`Cause::Refreshed`]. Otherwise
    /// [`Outcome::Staged`] if the event reports a staged version, else `None`.
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::of_event(self.raw.outcome)
    }

    /// Returns whether the last successful refresh is recent enough.
    pub fn freshness(&self) -> Freshness {
        Freshness::from_raw(self.raw.new_freshness)
    }

    /// Returns the freshness before the event. It differs from [`freshness`](Self::freshness) only
    /// if the cause is [`Cause::Freshness`].
    pub fn old_freshness(&self) -> Freshness {
        Freshness::from_raw(self.raw.old_freshness)
    }

    /// Returns the origin of the new snapshot.
    pub fn origin(&self) -> Origin {
        Origin::from_raw(self.raw.origin)
    }

    /// Returns the version of the new snapshot: a timestamp in ms since 1970, or a bundle's
    /// version; 0 without data.
    pub fn version(&self) -> i64 {
        self.raw.version
    }

    /// Returns the changes, sorted by key. A subscriber of a key receives only changes of that key.
    /// Empty if no value has changed, and for [`Cause::Opened`]. A change whose key cannot be read is
    /// left out: the stored file was damaged or changed while in use.
    pub fn changes(&self) -> impl ExactSizeIterator<Item = EventChange<'e>> {
        let event = self.raw;
        // SAFETY: the array has this number of changes, which live during the call.
        let changes = unsafe { slice_of_pointers(event.changes, event.change_count) };
        let readable = |&raw: &&'e sys::remora_change| {
            // SAFETY: the key lives during the call.
            let key = unsafe { text_out(raw.key, raw.key_length) }?;
            Some(EventChange { raw, key, event })
        };
        // A vector, because the length of the iterator must be exact.
        changes
            .iter()
            .filter_map(readable)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns the snapshot that was live before the event. It may be kept.
    pub fn old_snapshot(&self) -> Snapshot {
        // SAFETY: the snapshot lives during the call, and is never NULL.
        unsafe { Snapshot::from_borrowed(self.raw.old_snapshot) }
    }

    /// Returns the snapshot that is live after the event. It may be kept.
    pub fn new_snapshot(&self) -> Snapshot {
        // SAFETY: the snapshot lives during the call, and is never NULL.
        unsafe { Snapshot::from_borrowed(self.raw.new_snapshot) }
    }

    /// Returns the staged snapshot, which may be kept; `None` if nothing is staged.
    pub fn staged_snapshot(&self) -> Option<Snapshot> {
        // SAFETY: the snapshot lives during the call, and is not NULL.
        (!self.raw.staged_snapshot.is_null())
            .then(|| unsafe { Snapshot::from_borrowed(self.raw.staged_snapshot) })
    }

    /// Returns the configuration of a bundle that was opened with data, or of which a new version
    /// was fetched by any process. A tracker of Snowplow (an analytics library) calls `onSuccess`
    /// in these cases. `None` for other events, and for subscribers of a key.
    pub fn configuration(&self) -> Option<Configuration> {
        // SAFETY: the array and its names live during the call, or it is NULL.
        let namespaces = unsafe { copies_until_null(self.raw.namespaces) }?;
        let state = self.origin();
        Some(Configuration { state, namespaces })
    }

    /// Returns the reason for [`Refused`](Outcome::Refused) or [`Failed`](Outcome::Failed), else
    /// `None`.
    pub fn error(&self) -> Option<Error> {
        // SAFETY: the error lives during the call, or is NULL.
        unsafe { Error::from_nullable(self.raw.error) }
    }

    /// Returns the last storage failure, such as a full disk; `None` if a later access succeeded.
    pub fn storage_error(&self) -> Option<Error> {
        // SAFETY: the error lives during the call, or is NULL.
        unsafe { Error::from_nullable(self.raw.storage_error) }
    }
}

impl fmt::Debug for Event<'_> {
    /// Prints the event without the values.
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

/// The state and the namespaces of a bundle that became live; see [`Event::configuration`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Configuration {
    /// The origin of the bundle: `Default`, `Cached` or `Fetched`.
    pub state: Origin,
    /// The names of the namespaces that the bundle lists, in its order.
    pub namespaces: Vec<String>,
}

/// A changed key, valid during the call of the closure; [`keep`](Self::keep) returns a copy.
#[derive(Clone, Copy)]
pub struct EventChange<'e> {
    raw: &'e sys::remora_change,
    key: &'e str,
    event: &'e sys::remora_event,
}

impl<'e> EventChange<'e> {
    /// Returns the kind of the change.
    pub fn kind(&self) -> ChangeKind {
        ChangeKind::from_raw(self.raw.kind)
    }

    /// Returns the key.
    pub fn key(&self) -> &'e str {
        self.key
    }

    /// Returns the value before the change; `None` if the key was created.
    pub fn old_value(&self) -> Option<Value<'e>> {
        // SAFETY: the value lives during the call.
        unsafe { Value::present(RawValue(self.raw.old_value)) }
    }

    /// Returns the value after the change; `None` if the key was deleted.
    pub fn new_value(&self) -> Option<Value<'e>> {
        // SAFETY: the value lives during the call.
        unsafe { Value::present(RawValue(self.raw.new_value)) }
    }

    /// Returns a change that may outlive the event.
    pub fn keep(&self) -> Change {
        let event = Event { raw: self.event };
        let (old, new) = (event.old_snapshot(), event.new_snapshot());
        // SAFETY: the change is a difference of the event's snapshots, and has this key.
        unsafe { Change::new(self.raw, self.key, old, new) }
    }
}

impl fmt::Debug for EventChange<'_> {
    /// Prints the kind and the key, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.keep(), f)
    }
}
