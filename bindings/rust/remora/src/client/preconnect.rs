// SPDX-License-Identifier: Apache-2.0

//! A connection ahead of time. Nothing is checked before `begin`.

use std::path::PathBuf;
use std::time::Duration;

use remora_sys as sys;

use crate::client::version;
use crate::error::{check, Result};
use crate::ffi::{defaults, Texts};
use crate::time;

/// Prepares a connection that is there before it is needed, made while the host does something
/// else; [`begin`](Preconnect::begin) begins it.
///
/// It sends one GET to a URL of the server, with the query items "app" (`application_name`) and
/// "platform", and keeps its connection for the next request of any client to the same scheme, host
/// and port with the same proxy and `ca_file`.
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
        proxy: None,
        ca_file: None,
        user_agent: None,
        connect_timeout_ms: 0,
        total_timeout_ms: 0,
    }
}

/// The options of a connection ahead of time; what is not set has its default. See [`preconnect`].
#[derive(Clone)]
#[must_use = "a connection is begun by begin()"]
pub struct Preconnect {
    url: String,
    application_name: String,
    platform: Option<String>,
    proxy: Option<String>,
    ca_file: Option<PathBuf>,
    user_agent: Option<String>,
    connect_timeout_ms: i64,
    total_timeout_ms: i64,
}

impl Preconnect {
    /// What is sent as the query item "platform"; default "linux".
    pub fn platform(mut self, platform: impl Into<String>) -> Self {
        self.platform = Some(platform.into());
        self
    }

    /// As [`ClientBuilder::proxy`](crate::ClientBuilder::proxy).
    pub fn proxy(mut self, url: impl Into<String>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// As [`ClientBuilder::ca_file`](crate::ClientBuilder::ca_file).
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_file = Some(path.into());
        self
    }

    /// Replaces the default user agent.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// The limit for the connection to be made; default 10 s.
    pub fn connect_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.connect_timeout_ms = time::limit(limit.into());
        self
    }

    /// The limit of all of it; default 30 s.
    pub fn total_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.total_timeout_ms = time::limit(limit.into());
        self
    }

    /// Begins the connection; also before there is a client, and in a closure.
    ///
    /// Which status the server answers does not matter. A failure costs nothing but the head start:
    /// it is a warning in the log of the clients that are open, or of the next one. A connection
    /// that nobody used for about two minutes is closed.
    ///
    /// Any thread; does not block, but the first request of a process loads libcurl and libcrypto.
    ///
    /// # Errors
    /// `InvalidArgument`, `Unavailable` (no thread, libcurl or libcrypto; or a library that does not
    /// fit this crate), `Closed` (the process is exiting).
    pub fn begin(self) -> Result<()> {
        version::require(version::version())?;
        let mut texts = Texts::default();
        // SAFETY: zero bytes are options of NULLs and zeros.
        let mut options = unsafe { defaults(sys::remora_preconnect_options_init) };
        options.url = texts.text(&self.url, "url")?;
        options.application_name = texts.text(&self.application_name, "application name")?;
        options.platform = texts.option(&self.platform, "platform")?;
        options.proxy = texts.option(&self.proxy, "proxy")?;
        options.ca_file = texts.option(&self.ca_file, "ca_file")?;
        options.user_agent = texts.option(&self.user_agent, "user agent")?;
        options.connect_timeout_ms = self.connect_timeout_ms;
        options.total_timeout_ms = self.total_timeout_ms;
        // SAFETY: the texts live until the call has ended.
        check(|error| unsafe { sys::remora_preconnect(&options, error) })
    }
}
