// SPDX-License-Identifier: Apache-2.0

//! The options that sources of all kinds have: their methods, and their fields in C.

use remora_sys as sys;

use crate::client::Client;
use crate::error::Result;
use crate::ffi::{defaults, Texts};

/// The options that sources of all kinds have, except for the first subscriber.
pub(crate) struct Opening<I> {
    pub(crate) client: Client,
    pub(crate) identity: I,
    pub(crate) first_fetch: i32,
    pub(crate) refresh_interval_ms: i64,
    pub(crate) persists_overrides: bool,
    pub(crate) min_keys: i32,
    pub(crate) min_keys_percent: i32,
    pub(crate) schema: Option<String>,
}

impl<I> Opening<I> {
    pub(crate) fn new(client: Client, identity: I) -> Self {
        Self {
            client,
            identity,
            first_fetch: sys::REMORA_FIRST_FETCH_DEFAULT,
            refresh_interval_ms: 0,
            persists_overrides: false,
            min_keys: 0,
            min_keys_percent: 0,
            schema: None,
        }
    }

    /// Returns the options in C, which point to the texts, without a subscriber.
    pub(crate) fn raw(&self, texts: &mut Texts) -> Result<sys::remora_source_options> {
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults::<sys::remora_source_options>() };
        options.first_fetch = self.first_fetch;
        options.refresh_interval_ms = self.refresh_interval_ms;
        options.persist_overrides = self.persists_overrides.into();
        options.min_keys = self.min_keys;
        options.min_keys_percent = self.min_keys_percent;
        options.schema = texts.option(&self.schema, "schema")?;
        Ok(options)
    }
}

/// The methods of these options, for a type with the fields `Opening` and `on_event`.
macro_rules! opening_options {
    ($($field:ident).+) => {
        /// Sets whether opening starts a refresh in the background. Default: `true` for settings, for
        /// bundles with a URL, and with a [`refresh_interval`](Self::refresh_interval); otherwise
        /// `false`.
        pub fn fetch_at_open(mut self, fetches: bool) -> Self {
            self.$($field).+.first_fetch = match fetches {
                true => remora_sys::REMORA_FIRST_FETCH_AT_OPEN,
                false => remora_sys::REMORA_FIRST_FETCH_ON_REQUEST,
            };
            self
        }

        /// Sets the approximate interval of refreshes in the background, at least a second. Default:
        /// `None`, which means never. See `docs/refreshing.md` in the repository.
        pub fn refresh_interval(
            mut self,
            interval: impl Into<Option<std::time::Duration>>,
        ) -> Self {
            self.$($field).+.refresh_interval_ms = $crate::time::limit(interval.into());
            self
        }

        /// Sets whether overrides are stored, and restored when the source is opened again. Default:
        /// `false`. Not together with [`memory_only`](crate::SettingsBuilder::memory_only).
        pub fn persist_overrides(mut self, persists: bool) -> Self {
            self.$($field).+.persists_overrides = persists;
            self
        }

        /// Sets the smallest number of keys. Fetched versions with fewer keys are refused with the
        /// error [`Schema`](crate::ErrorKind::Schema), unless the refresh has the option `force`.
        /// Default: 0, no limit.
        pub fn min_keys(mut self, count: u32) -> Self {
            self.$($field).+.min_keys = i32::try_from(count).unwrap_or(i32::MAX);
            self
        }

        /// Sets the smallest number of keys of a fetched version, as a percentage (1 to 100) of the
        /// keys of the newest version; see [`min_keys`](Self::min_keys). With 100, the number of
        /// keys may not shrink. Default: 0, no limit.
        pub fn min_keys_percent(mut self, percent: u32) -> Self {
            self.$($field).+.min_keys_percent = i32::try_from(percent).unwrap_or(i32::MAX);
            self
        }

        /// Sets the text of a JSON Schema that fetched data must satisfy: each record of a
        /// collection, each element of a bundle, or the dictionary of settings. Other data is
        /// refused with the error [`Schema`](crate::ErrorKind::Schema). Default: none.
        pub fn schema(mut self, json: impl Into<String>) -> Self {
            self.$($field).+.schema = Some(json.into());
            self
        }

        /// Sets a closure for all events of the source. The first event reports the state at the
        /// opening, with the cause [`Opened`](crate::Cause::Opened). A bundle with neither cached
        /// nor default data has no such first event.
        ///
        /// The subscription ends with the source. After a panic the closure is not called again. If
        /// the closure owns a clone of its source, the source stays open until
        /// [`Client::close`](crate::Client::close).
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

/// The function that opens a source of one kind.
type Open<O> = unsafe extern "C" fn(
    *mut sys::remora_client,
    *const O,
    *const sys::remora_source_options,
    *mut *mut sys::remora_source,
    *mut sys::remora_error,
) -> sys::remora_status;

/// The C options of one kind of source, with the function that opens such a source.
pub(crate) trait RawIdentity: Sized {
    const OPEN: Open<Self>;
}

impl RawIdentity for sys::remora_collection_options {
    const OPEN: Open<Self> = sys::remora_open_collection;
}

impl RawIdentity for sys::remora_bundle_options {
    const OPEN: Open<Self> = sys::remora_open_bundle;
}

impl RawIdentity for sys::remora_settings_options {
    const OPEN: Open<Self> = sys::remora_open_settings;
}
