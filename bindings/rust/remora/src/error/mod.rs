// SPDX-License-Identifier: Apache-2.0

//! Failures: the library's status and message, and the conversion of remora_error.

mod kind;

pub use kind::{ErrorKind, Family};

use std::ffi::CStr;
use std::fmt;
use std::os::raw::c_char;
use std::time::Duration;

use remora_sys as sys;

use crate::time::milliseconds;

/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure: its kind, and a message that describes it.
///
/// The message may contain keys, sizes and addresses, but no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    status: i32,
    source_name: Option<String>,
    message: String,
    http_status: Option<u16>,
    retry_after: Option<Duration>,
    parameter: Option<String>,
    system_code: Option<i32>,
}

/// The parameters and fields that have another name in this crate than in the library.
const NAMES: [(&str, &str); 13] = [
    ("application_name", "application"),
    ("application_version", "application"),
    ("first_fetch", "fetch_at_open"),
    ("headers", "header"),
    ("max_future_ms", "max_future"),
    ("max_stale_ms", "max_stale"),
    ("previous_roots", "previous_root"),
    ("refresh_interval_ms", "refresh_interval"),
    ("request_params", "param"),
    ("required_keys", "required_key"),
    ("timeout_ms", "timeout"),
    ("trusted_hosts", "trusted_host"),
    ("ttl_ms", "ttl"),
];

impl Error {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the number of the status, as `remora.h` lists it: always negative.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// Returns the name of the status in C, such as `"REMORA_ERR_TIMEOUT"`.
    pub fn status_name(&self) -> &'static str {
        // SAFETY: the function accepts any number, and returns a constant text.
        let name = unsafe { CStr::from_ptr(sys::remora_status_name(self.status)) };
        name.to_str().unwrap_or("REMORA_ERR_UNKNOWN")
    }

    /// Returns one sentence for people, without the status.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the name of the source; `None` if the failure concerns no single source. See
    /// [`Attempt::source_name`](crate::Attempt::source_name).
    pub fn source_name(&self) -> Option<&str> {
        self.source_name.as_deref()
    }

    /// Returns the HTTP status of the response; `None` if no response arrived.
    pub fn http_status(&self) -> Option<u16> {
        self.http_status
    }

    /// Returns the time to wait before a retry; `None` if unknown.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the name of the wrong parameter or option, with which the message begins; `None`
    /// unless the kind is [`InvalidArgument`](ErrorKind::InvalidArgument).
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// Returns the errno of a storage error, or libcurl's code of a network error; `None` if
    /// unknown.
    pub fn system_code(&self) -> Option<i32> {
        self.system_code
    }

    /// Returns the error for a malformed argument that cannot be passed to the library.
    pub(crate) fn invalid_argument(parameter: &str, problem: &str) -> Self {
        let message = format!("{parameter} {problem}");
        let mut error = Self::own(sys::REMORA_ERR_INVALID_ARGUMENT, message);
        error.parameter = Some(parameter.to_string());
        error
    }

    /// Returns the error for a value that does not exist.
    pub(crate) fn not_found(message: String) -> Self {
        Self::own(sys::REMORA_ERR_NOT_FOUND, message)
    }

    /// Returns the error for a value of another type.
    pub(crate) fn wrong_type(message: String) -> Self {
        Self::own(sys::REMORA_ERR_WRONG_TYPE, message)
    }

    /// Returns the error for a document that does not have the form that the protocol requires.
    pub(crate) fn format(message: String) -> Self {
        Self::own(sys::REMORA_ERR_FORMAT, message)
    }

    /// Returns the error for stored data that is damaged.
    pub(crate) fn corrupt(message: &str) -> Self {
        Self::own(sys::REMORA_ERR_CORRUPT, message)
    }

    /// Returns the error for a closed client.
    pub(crate) fn closed() -> Self {
        Self::own(sys::REMORA_ERR_CLOSED, "the client is closed")
    }

    /// Returns the error for a library that this crate cannot work with.
    pub(crate) fn unavailable(message: String) -> Self {
        Self::own(sys::REMORA_ERR_UNAVAILABLE, message)
    }

    fn own(status: i32, message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::from_raw(status),
            status,
            source_name: None,
            message: message.into(),
            http_status: None,
            retry_after: None,
            parameter: None,
            system_code: None,
        }
    }

    /// Converts an error of the library.
    ///
    /// # Safety
    /// The library must have filled `raw`.
    pub(crate) unsafe fn from_raw(raw: &sys::remora_error) -> Self {
        // SAFETY: each text of an error ends with a NUL inside its array.
        let text = |text: &[c_char]| unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy();
        let (name, parameter) = (text(&raw.source_name), text(&raw.parameter));
        let (parameter, message) = in_rust(&parameter, &text(&raw.message));
        Self {
            kind: ErrorKind::from_raw(raw.status),
            status: raw.status,
            source_name: (!name.is_empty()).then(|| name.into_owned()),
            message,
            http_status: http_status(raw.http_status),
            retry_after: milliseconds(raw.retry_after_ms).filter(|time| !time.is_zero()),
            parameter,
            system_code: Some(raw.system_code).filter(|&code| code != 0),
        }
    }

    /// Converts an error of the library; `None` for NULL or the status `REMORA_OK`.
    ///
    /// # Safety
    /// `raw` must be NULL or point to an error that the library has filled.
    pub(crate) unsafe fn from_nullable(raw: *const sys::remora_error) -> Option<Self> {
        // SAFETY: guaranteed by the caller.
        let raw = unsafe { raw.as_ref() }.filter(|raw| raw.status != sys::REMORA_OK)?;
        // SAFETY: guaranteed by the caller.
        Some(unsafe { Self::from_raw(raw) })
    }

    /// Returns the result of a call of the library that reports only an error.
    ///
    /// # Safety
    /// `raw` must be NULL or point to an error that the library has filled.
    pub(crate) unsafe fn result(raw: *const sys::remora_error) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::from_nullable(raw) }.map_or(Ok(()), Err)
    }
}

/// Replaces the parameter at the beginning of a message by its name in this crate.
fn in_rust(parameter: &str, message: &str) -> (Option<String>, String) {
    if parameter.is_empty() {
        return (None, message.to_string());
    }
    let pair = NAMES.iter().find(|(name, _)| *name == parameter);
    let own = pair.map_or(parameter, |(_, own)| *own).to_string();
    let message = match message.strip_prefix(parameter) {
        Some(rest) => format!("{own}{rest}"),
        None => message.to_string(),
    };
    (Some(own), message)
}

/// Converts an HTTP status of the library. 0 becomes `None`.
pub(crate) fn http_status(number: i32) -> Option<u16> {
    u16::try_from(number).ok().filter(|&status| status != 0)
}

/// Writes the name of the source, if there is one, and the message.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.source_name {
            write!(f, "{name}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// Calls a function of the library with an error structure, and converts its status to a result.
pub(crate) fn check(call: impl FnOnce(*mut sys::remora_error) -> sys::remora_status) -> Result<()> {
    // SAFETY: zero bytes are an error of numbers and an empty text.
    let mut error: sys::remora_error = unsafe { std::mem::zeroed() };
    match call(&mut error) {
        sys::REMORA_OK => Ok(()),
        // SAFETY: a function that returns a failure has filled the error.
        _ => Err(unsafe { Error::from_raw(&error) }),
    }
}
