// SPDX-License-Identifier: Apache-2.0

//! Writes the log lines of [`remora`] to the crate [`log`].
//!
//! ```
//! # fn main() -> Result<(), remora::Error> {
//! use remora::{Client, LogLevel};
//!
//! let client = Client::in_memory().log(LogLevel::Info, remora_log::write).build()?;
//! # Ok(()) }
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

use log::Level;
use remora::LogLevel;

/// The target of all log records, for the filters of a logger.
pub const TARGET: &str = "remora";

/// Writes one line to the logger that the program has installed, with the target [`TARGET`].
///
/// Pass this function to [`ClientBuilder::log`](remora::ClientBuilder::log), with the level of the
/// logger's filter, so that the library formats no line that the filter drops.
///
/// The logger runs where the client's closures run: on a thread of the library, or in
/// [`Client::dispatch`](remora::Client::dispatch). Any thread; blocks if the logger does.
pub fn write(level: LogLevel, line: &str) {
    log::log!(target: TARGET, level_of(level), "{line}");
}

/// Converts a level. Levels that this crate does not know count as the least severe.
fn level_of(level: LogLevel) -> Level {
    match level {
        LogLevel::Error => Level::Error,
        LogLevel::Warning => Level::Warn,
        LogLevel::Info => Level::Info,
        LogLevel::Debug => Level::Debug,
        _ => Level::Trace,
    }
}

/// The program of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
