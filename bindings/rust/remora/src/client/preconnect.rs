// SPDX-License-Identifier: Apache-2.0

//! A connection that is opened before it is needed. No option is checked before `begin`.

use remora_sys as sys;

use crate::client::connection::{connection_options, Connection};
use crate::client::version::require;
use crate::error::{check, Result};
use crate::ffi::{defaults, Texts};

/// Prepares to open a connection before it is needed, so that the first request of a program is
/// faster; [`begin`](Preconnect::begin) opens it.
///
/// Sends one GET to the URL, with the query items "app" (`application_name`) and "platform", and
/// keeps the connection for the next request to the same scheme, host and port, by any client with
/// the same proxy, `ca_file` and client certificate.
///
/// ```no_run
/// # fn main() -> Result<(), remora::Error> {
/// remora::preconnect("https://settings.example/hello", "host").begin()?;
/// # Ok(()) }
/// ```
pub fn preconnect(url: impl Into<String>, application_name: impl Into<String>) -> Preconnect {
    Preconnect {
        url: url.into(),
        application_name: application_name.into(),
        platform: None,
        connection: Connection::default(),
    }
}

/// The options of [`preconnect`].
#[derive(Clone)]
#[must_use = "the connection starts when begin() is called"]
pub struct Preconnect {
    url: String,
    application_name: String,
    platform: Option<String>,
    connection: Connection,
}

impl Preconnect {
    /// Sets the query item "platform"; default "linux".
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    connection_options!(connection, "Limits the time of the request; default 30 s.");

    /// Opens the connection in the background. May be called before a client exists, and in callbacks of
    /// Remora.
    ///
    /// Any HTTP status is accepted. A failure only causes a warning, in the log of the open clients
    /// or of the next client. A connection that was not used for about two minutes is closed.
    ///
    /// Any thread; does not block, but the first request of a process loads libcurl and libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Unavailable` (a thread cannot be started, libcurl or libcrypto cannot be
    /// loaded, or the library is older than this crate or of another major version), `Closed` (the
    /// process is exiting).
    pub fn begin(self) -> Result<()> {
        require()?;
        let mut texts = Texts::default();
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut config = unsafe { defaults::<sys::remora_config>() };
        let url = texts.text(&self.url, "url")?;
        let platform = texts.option(&self.platform, "platform")?;
        config.application_name = texts.text(&self.application_name, "application name")?;
        self.connection.fill(&mut config, &mut texts)?;
        config.connect_timeout_ms = self.connection.connect_timeout_ms;
        config.total_timeout_ms = self.connection.total_timeout_ms;
        // SAFETY: the texts live until the call has ended.
        check(|error| unsafe { sys::remora_preconnect(&config, url, platform, error) })
    }
}
