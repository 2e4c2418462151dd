// SPDX-License-Identifier: Apache-2.0

//! Opening settings. Nothing is checked before `open`.

use std::path::PathBuf;
use std::time::Duration;

use remora_sys as sys;

use crate::client::Client;
use crate::error::Result;
use crate::events::{Event, EventClosure};
use crate::ffi::Texts;
use crate::opening::{open_source, Identity};
use crate::settings::{settings_identity, SettingsIdentity};
use crate::source::{Activation, Source};
use crate::time;

/// How settings and all their tags are asked for and kept.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) client: Client,
    identity: SettingsIdentity,
    is_memory_only: bool,
    ttl_ms: i64,
    persists_overrides: bool,
}

/// The options of settings; what is not set has its default.
#[must_use = "settings are opened by open()"]
pub struct SettingsBuilder {
    pub(super) shared: Shared,
    activation: Option<Activation>,
    fetches_at_open: bool,
    packaged_file: Option<PathBuf>,
    packaged_data: Option<Vec<u8>>,
    refresh_interval_ms: i64,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Begins the opening of settings, a JSON dictionary of keys and values.
    ///
    /// `url` is http or https, perhaps with a query, without user name, password and fragment;
    /// without a scheme it gets https, and `None` is the library's default. It is checked by
    /// [`open`](SettingsBuilder::open).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let settings = client
    ///     .settings("https://settings.example/api")
    ///     .param("user", "42")
    ///     .packaged_data(r#"{"dark_mode": true}"#)
    ///     .fetch_at_open(false)
    ///     .open()?;
    /// assert_eq!(settings.get_bool("dark_mode", None), Some(true));
    /// # Ok(()) }
    /// ```
    pub fn settings<'u>(&self, url: impl Into<Option<&'u str>>) -> SettingsBuilder {
        SettingsBuilder::new(self.clone(), url.into().map(str::to_string))
    }
}

impl SettingsBuilder {
    pub(crate) fn new(client: Client, url: Option<String>) -> Self {
        Self::with(Shared {
            client,
            identity: SettingsIdentity::new(url),
            is_memory_only: false,
            ttl_ms: 0,
            persists_overrides: false,
        })
    }

    pub(crate) fn with(shared: Shared) -> Self {
        Self {
            shared,
            activation: None,
            fetches_at_open: true,
            packaged_file: None,
            packaged_data: None,
            refresh_interval_ms: 0,
            on_event: None,
        }
    }

    settings_identity!(shared.identity);

    /// When what is fetched becomes live; default [`Activation::NextSetup`]. With a tag always
    /// [`Activation::Immediate`], and anything else is an invalid argument.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Whether opening begins a refresh, for which nobody waits; default `true`.
    pub fn fetch_at_open(mut self, fetches: bool) -> Self {
        self.fetches_at_open = fetches;
        self
    }

    /// Whether nothing of these settings is stored; default `false`.
    pub fn memory_only(mut self, is_memory_only: bool) -> Self {
        self.shared.is_memory_only = is_memory_only;
        self
    }

    /// A document as the server would answer it, live until something was fetched. Not together
    /// with [`packaged_data`](Self::packaged_data).
    pub fn packaged_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.packaged_file = Some(path.into());
        self
    }

    /// The same as bytes; they are copied.
    pub fn packaged_data(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.packaged_data = Some(bytes.into());
        self
    }

    /// Refreshes without being asked; as
    /// [`CollectionBuilder::refresh_interval`](crate::CollectionBuilder::refresh_interval).
    pub fn refresh_interval(mut self, interval: impl Into<Option<Duration>>) -> Self {
        self.refresh_interval_ms = time::limit(interval.into());
        self
    }

    /// How long what was fetched is fresh, so that waits are answered without a request: no time
    /// always asks, [`Duration::MAX`] never again. Default: what the server says (Cache-Control), or
    /// else an hour. What has expired stays live.
    pub fn ttl(mut self, lifetime: Duration) -> Self {
        self.shared.ttl_ms = time::lifetime(lifetime);
        self
    }

    /// Whether overrides are stored, and hold at the next open; default `false`. Not together with
    /// [`memory_only`](Self::memory_only).
    pub fn persist_overrides(mut self, persists: bool) -> Self {
        self.shared.persists_overrides = persists;
        self
    }

    /// A first subscriber of the whole source: it is told the state at open before anything
    /// fetched. As [`CollectionBuilder::on_event`](crate::CollectionBuilder::on_event) otherwise.
    pub fn on_event(mut self, closure: impl FnMut(&Event<'_>) + Send + 'static) -> Self {
        self.on_event = Some(Box::new(closure));
        self
    }

    pub(super) fn open_source(self) -> Result<Source> {
        let mut texts = Texts::default();
        let mut options = self.shared.identity.options(&mut texts)?;
        if let Some(activation) = self.activation {
            options.activation = activation.raw();
        }
        options.fetch_at_open = if self.fetches_at_open { 0 } else { -1 };
        options.memory_only = self.shared.is_memory_only.into();
        options.packaged_file = texts.option(&self.packaged_file, "packaged_file")?;
        if let Some(bytes) = &self.packaged_data {
            options.packaged_data = bytes.as_ptr().cast();
            options.packaged_size = bytes.len();
        }
        options.refresh_interval_ms = self.refresh_interval_ms;
        options.ttl_ms = self.shared.ttl_ms;
        options.persist_overrides = self.shared.persists_overrides.into();
        // SAFETY: the client lives during the call, texts and data until it has ended; the closure is
        // the library's from there on, also when it fails, and the source that it stores is ours.
        unsafe {
            open_source(
                self.shared.client.clone(),
                self.on_event,
                |client, (on_event, closure), source, error| {
                    options.on_event = on_event;
                    options.on_event_user_data = closure.pointer;
                    options.on_event_free_user_data = closure.free;
                    sys::remora_open_settings(client, &options, source, error)
                },
            )
        }
    }
}
