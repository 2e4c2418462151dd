// SPDX-License-Identifier: Apache-2.0

//! Opening settings. No option is checked before `open`.

use std::time::Duration;

use crate::client::Client;
use crate::error::Result;
use crate::events::EventClosure;
use crate::opening::{opening_options, packaged_options, Opening, Packaged};
use crate::settings::{settings_identity, SettingsIdentity};
use crate::source::{Activation, Source};
use crate::time;

/// The options of settings.
#[must_use = "settings are opened by open()"]
pub struct SettingsBuilder {
    opening: Opening<SettingsIdentity>,
    is_memory_only: bool,
    ttl_ms: i64,
    activation: Option<Activation>,
    packaged: Packaged,
    required_keys: Vec<String>,
    on_event: Option<EventClosure>,
}

impl Client {
    /// Prepares to open settings, a JSON dictionary of keys and values at a URL.
    ///
    /// `url` is an http or https URL without user name, password and fragment, optionally with a
    /// query; the default scheme is https. `None` selects the library's default URL.
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
    fn new(client: Client, url: Option<String>) -> Self {
        Self {
            opening: Opening::new(client, SettingsIdentity::new(url)),
            is_memory_only: false,
            ttl_ms: 0,
            activation: None,
            packaged: Packaged::default(),
            required_keys: Vec::new(),
            on_event: None,
        }
    }

    settings_identity!(opening.identity);
    opening_options!(opening);
    packaged_options!(
        packaged,
        "Sets a file with packaged data: a document as the server would send it."
    );

    /// Sets when fetched settings become live. Default: [`Activation::NextSetup`]. But if the
    /// source has no data, the first fetched settings become live at once. With a tag, only
    /// [`Activation::Immediate`] is permitted.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Sets whether the settings are kept in memory only. Default: `false`.
    pub fn memory_only(mut self, is_memory_only: bool) -> Self {
        self.is_memory_only = is_memory_only;
        self
    }

    /// Sets how long fetched data is fresh. While data is fresh, calls of `wait` send no request.
    /// With zero, data is never fresh; with [`Duration::MAX`], always. Default: the time in the
    /// server's Cache-Control header, or an hour without this header. Expired data stays live.
    pub fn ttl(mut self, lifetime: Duration) -> Self {
        self.ttl_ms = time::lifetime(lifetime);
        self
    }

    /// Adds a key that fetched settings must have. A version without this key is refused with the
    /// error [`Schema`](crate::ErrorKind::Schema), unless the refresh has the option `force`.
    pub fn required_key(mut self, key: impl Into<String>) -> Self {
        self.required_keys.push(key.into());
        self
    }

    pub(super) fn open_source(self) -> Result<Source> {
        // SAFETY: `set` points to what it puts into the texts.
        unsafe {
            self.opening.open(self.on_event, |options, texts| {
                if let Some(activation) = self.activation {
                    options.activation = activation.raw();
                }
                options.memory_only = self.is_memory_only.into();
                (
                    options.packaged_file,
                    options.packaged_data,
                    options.packaged_size,
                ) = self.packaged.raw(texts)?;
                options.ttl_ms = self.ttl_ms;
                options.required_keys = texts.array(&self.required_keys, "required_key")?;
                Ok(())
            })
        }
    }
}
