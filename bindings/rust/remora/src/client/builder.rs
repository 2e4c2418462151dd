// SPDX-License-Identifier: Apache-2.0

//! The options of a client. No option is checked before `build`.

use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use remora_sys as sys;

use crate::client::attempt::{self, Attempt, AttemptClosure};
use crate::client::connection::{connection_options, Connection};
use crate::client::handle::ClientHandle;
use crate::client::log::{self, LogClosure, LogLevel};
use crate::client::version::require;
use crate::client::{Callbacks, Client};
use crate::error::{check, Error, Result};
use crate::ffi::{defaults, Texts};
use crate::testing::{Clock, Server};
use crate::time;

/// The options of a client.
///
/// `None` turns a time limit off. Time limits are rounded up to milliseconds.
#[must_use = "a client is made by build()"]
pub struct ClientBuilder {
    storage_dir: PathBuf,
    application_name: Option<String>,
    application_version: Option<String>,
    application_build: Option<String>,
    server: Option<String>,
    bucket: Option<String>,
    headers: Vec<String>,
    connection: Connection,
    stall_timeout_ms: i64,
    max_body_bytes: i64,
    max_stale_ms: i64,
    callbacks: Callbacks,
    log_level: LogLevel,
    log: Option<LogClosure>,
    on_attempt: Option<AttemptClosure>,
    transport: Option<Server>,
    clock: Option<Clock>,
}

impl Client {
    /// Prepares a client that stores its data in a directory on a local file system.
    ///
    /// A missing directory is created with its parents (mode 0700 less the umask). Processes of one
    /// user may share the directory.
    pub fn builder(storage_dir: impl AsRef<Path>) -> ClientBuilder {
        ClientBuilder::new(storage_dir.as_ref())
    }

    /// Prepares a client that stores no data on disk.
    pub fn in_memory() -> ClientBuilder {
        ClientBuilder::new(Path::new(":memory:"))
    }
}

impl ClientBuilder {
    pub(crate) fn new(storage_dir: &Path) -> Self {
        Self {
            storage_dir: storage_dir.to_path_buf(),
            application_name: None,
            application_version: None,
            application_build: None,
            server: None,
            bucket: None,
            headers: Vec::new(),
            connection: Connection::default(),
            stall_timeout_ms: 0,
            max_body_bytes: 0,
            max_stale_ms: 0,
            callbacks: Callbacks::OnThread,
            log_level: LogLevel::Warning,
            log: None,
            on_attempt: None,
            transport: None,
            clock: None,
        }
    }

    /// Sets the application's name and version, which the default user agent contains. Default:
    /// "unknown", "0".
    pub fn application(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.application_name = Some(name.into());
        self.application_version = Some(version.into());
        self
    }

    /// Sets the application's build, which the default user agent contains. Default: no build.
    pub fn application_build(mut self, build: impl Into<String>) -> Self {
        self.application_build = Some(build.into());
        self
    }

    /// Sets the server: Mozilla's "prod" (the default), "stage" or "dev", or an http or https URL
    /// without query. If the URL does not end in /v1 or /v2, /v2 is appended.
    pub fn server(mut self, server: impl Into<String>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Sets the default bucket of collections; default "main".
    pub fn bucket(mut self, bucket: impl Into<String>) -> Self {
        self.bucket = Some(bucket.into());
        self
    }

    /// Adds a header to every request to the server of a source.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push(format!("{name}: {value}"));
        self
    }

    connection_options!(connection, "Limits the time of a request; default 120 s.");

    /// Sets the time after which a transfer below 100 bytes/s is cancelled; default 30 s.
    pub fn stall_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.stall_timeout_ms = time::limit(limit.into());
        self
    }

    /// Sets the maximum size of a decoded response in bytes; default 16 MiB, at most 256 MiB.
    pub fn max_body_bytes(mut self, bytes: u32) -> Self {
        self.max_body_bytes = bytes.into();
        self
    }

    /// Sets the age of the last successful refresh above which a source becomes
    /// [`Stale`](crate::Freshness::Stale). Use three refresh intervals, for example, to notice that
    /// updates no longer arrive. Default: `None`; `freshness` is then `Nothing`.
    pub fn max_stale(mut self, age: impl Into<Option<Duration>>) -> Self {
        self.max_stale_ms = time::limit(age.into());
        self
    }

    /// Sets the thread on which closures run; default [`Callbacks::OnThread`].
    pub fn callbacks(mut self, callbacks: Callbacks) -> Self {
        self.callbacks = callbacks;
        self
    }

    /// Sets a closure for log lines of `level` and of more severe levels. Without this closure,
    /// failures of background refreshes are visible only in events, attempts and
    /// [`SourceInfo`](crate::SourceInfo). Default: none; the library prints nothing.
    ///
    /// The closure runs on the thread of [`Callbacks`], one call at a time. A line has no control
    /// characters. While a thousand calls are queued, further lines are dropped. After a panic the
    /// closure is not called again.
    pub fn log(
        mut self,
        level: LogLevel,
        closure: impl FnMut(LogLevel, &str) + Send + 'static,
    ) -> Self {
        self.log_level = level;
        self.log = Some(Box::new(closure));
        self
    }

    /// Sets a closure for the outcome and cost of each refresh attempt, for telemetry.
    ///
    /// The closure also receives attempts that a backoff prevents, and sources that a sync finds
    /// unchanged in a monitor, but neither cancelled attempts nor refreshes by other processes. The
    /// closure runs on the thread of [`Callbacks`], one call at a time, after the events of the
    /// refresh, and before a closure that was passed to `refresh_async`. While a thousand calls are
    /// queued, further reports are dropped. After a panic the closure is not called again.
    pub fn on_attempt(mut self, closure: impl FnMut(&Attempt<'_>) + Send + 'static) -> Self {
        self.on_attempt = Some(Box::new(closure));
        self
    }

    /// Sends all requests to a test server, instead of over the network.
    pub fn transport(mut self, server: &Server) -> Self {
        self.transport = Some(server.clone());
        self
    }

    /// Uses a clock that a test moves, instead of the machine's clocks.
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = Some(clock.clone());
        self
    }

    /// Creates the client. Sends no request, and starts no thread except to deliver a log line.
    ///
    /// If the storage directory cannot be written, belongs to another user or is writable for all
    /// users, the client works in memory, and the log, [`SourceInfo`](crate::SourceInfo) and events
    /// report the storage error.
    ///
    /// Any thread; blocks for file system calls.
    ///
    /// # Errors
    /// `InvalidArgument` (an option is malformed), `Storage` (the storage directory is not a
    /// directory), `Unavailable` (the library is older than this crate, or of another major
    /// version).
    pub fn build(mut self) -> Result<Client> {
        let (log, on_attempt) = (self.log.take(), self.on_attempt.take());
        self.with_config(|mut config| {
            if let Some(closure) = log {
                log::install(closure, &mut config);
            }
            if let Some(closure) = on_attempt {
                attempt::install(closure, &mut config);
            }
            let transport = self.transport.as_ref().map(Server::raw);
            let clock = self.clock.as_ref().map(Clock::raw);
            config.transport = transport.as_ref().map_or(ptr::null(), |raw| raw);
            config.clock = clock.as_ref().map_or(ptr::null(), |raw| raw);
            let mut client = ptr::null_mut();
            // SAFETY: the texts live until the call has ended; the closures are the library's from
            // here on, also when it fails.
            check(|error| unsafe { sys::remora_setup(&config, &mut client, error) })?;
            let client = NonNull::new(client).ok_or_else(Error::closed)?;
            // SAFETY: the library has created the client for us.
            let handle = unsafe { ClientHandle::new(client) };
            Ok(Client {
                handle: Arc::new(handle),
            })
        })
    }

    /// Calls a function with the configuration in C, without closures; its pointers are valid during
    /// the call.
    pub(crate) fn with_config<T>(
        &self,
        call: impl FnOnce(sys::remora_config) -> Result<T>,
    ) -> Result<T> {
        require()?;
        let mut texts = Texts::default();
        // SAFETY: zero bytes are a configuration of NULLs and zeros.
        let mut config = unsafe { defaults::<sys::remora_config>() };
        config.storage_dir = texts.text(&self.storage_dir, "storage_dir")?;
        config.application_name = texts.option(&self.application_name, "application name")?;
        config.application_version =
            texts.option(&self.application_version, "application version")?;
        config.application_build = texts.option(&self.application_build, "application build")?;
        config.server = texts.option(&self.server, "server")?;
        config.bucket = texts.option(&self.bucket, "bucket")?;
        config.headers = texts.array(&self.headers, "header")?;
        self.connection.fill(&mut config, &mut texts)?;
        config.connect_timeout_ms = self.connection.connect_timeout_ms;
        config.stall_timeout_ms = self.stall_timeout_ms;
        config.total_timeout_ms = self.connection.total_timeout_ms;
        config.max_body_bytes = self.max_body_bytes;
        config.max_stale_ms = self.max_stale_ms;
        config.callbacks = self.callbacks.to_raw();
        config.log_level = self.log_level.to_raw();
        call(config)
    }
}
