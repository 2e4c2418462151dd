// SPDX-License-Identifier: Apache-2.0

//! The options that sources of all kinds have: their methods, and their fields in C.

use remora_sys as sys;

use crate::client::Client;
use crate::events::Subscriber;

/// The options that sources of all kinds have, but for the first subscriber.
#[derive(Clone)]
pub(crate) struct Opening<I> {
    pub(crate) client: Client,
    pub(crate) identity: I,
    pub(crate) refresh_interval_ms: i64,
    pub(crate) persists_overrides: bool,
}

impl<I> Opening<I> {
    pub(crate) fn new(client: Client, identity: I) -> Self {
        Self {
            client,
            identity,
            refresh_interval_ms: 0,
            persists_overrides: false,
        }
    }
}

/// The methods of these options, for what has an `Opening` in a field and an `on_event`.
macro_rules! opening_options {
    ($($field:ident).+) => {
        /// Refreshes without being asked, once in about so long; at least a second. Default and
        /// `None`: never.
        ///
        /// The first refresh starts after a random part of the interval, and the last one before the
        /// source ends. A host that wants new settings at once refreshes or waits as well. The
        /// repository's `docs/refreshing.md` has the rules.
        pub fn refresh_interval(
            mut self,
            interval: impl Into<Option<std::time::Duration>>,
        ) -> Self {
            self.$($field).+.refresh_interval_ms = $crate::time::limit(interval.into());
            self
        }

        /// Whether overrides are stored, and hold at the next open; default `false`. Not together
        /// with [`memory_only`](crate::SettingsBuilder::memory_only).
        pub fn persist_overrides(mut self, persists: bool) -> Self {
            self.$($field).+.persists_overrides = persists;
            self
        }

        /// A first subscriber of the whole source. Its first event is the state at open, cause
        /// [`Opened`](crate::Cause::Opened), before anything fetched; a bundle without cached data
        /// and without defaults has no such event.
        ///
        /// The subscription ends with the source. After a panic the closure is not called again. A
        /// closure that owns a clone of its own source keeps that alive until [`Client::close`](crate::Client::close).
        pub fn on_event(
            mut self,
            closure: impl FnMut(&crate::Event<'_>) + Send + 'static,
        ) -> Self {
            self.on_event = Some(Box::new(closure));
            self
        }
    };
}
pub(crate) use opening_options;

/// The method of sources that may refresh when they are opened, for a number as the library takes it.
macro_rules! fetch_option {
    ($field:ident) => {
        /// Whether opening starts a refresh in the background; default `true`.
        pub fn fetch_at_open(mut self, fetches: bool) -> Self {
            self.$field = if fetches { 0 } else { -1 };
            self
        }
    };
}
pub(crate) use fetch_option;

/// The function that opens a source with options of one kind.
type Open<O> = unsafe extern "C" fn(
    *mut sys::remora_client,
    *const O,
    *mut *mut sys::remora_source,
    *mut sys::remora_error,
) -> sys::remora_status;

/// The options of one kind of source, as the library takes them.
pub(crate) trait RawOptions: Sized {
    const OPEN: Open<Self>;

    /// Sets the fields that all kinds have. The subscriber is the library's when it opens.
    fn set_common<I>(&mut self, opening: &Opening<I>, subscriber: Subscriber);
}

macro_rules! raw_options {
    ($($options:ident: $open:ident,)+) => {
        $(impl RawOptions for sys::$options {
            const OPEN: Open<Self> = sys::$open;

            fn set_common<I>(&mut self, opening: &Opening<I>, (callback, closure): Subscriber) {
                self.refresh_interval_ms = opening.refresh_interval_ms;
                self.persist_overrides = opening.persists_overrides.into();
                self.on_event = callback;
                self.on_event_user_data = closure.pointer;
                self.on_event_free_user_data = closure.free;
            }
        })+
    };
}

raw_options! {
    remora_collection_options: remora_open_collection,
    remora_bundle_options: remora_open_bundle,
    remora_settings_options: remora_open_settings,
}
