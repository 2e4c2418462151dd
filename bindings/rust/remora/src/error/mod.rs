// SPDX-License-Identifier: Apache-2.0

//! Failures: the library's status and its sentence, and the one place that reads them.

mod kind;

pub use kind::{ErrorKind, Family};

use std::ffi::CStr;
use std::fmt;
use std::time::Duration;

use remora_sys as sys;

use crate::time::milliseconds;

/// A call's result.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure: what it is, and a sentence that names the thing.
///
/// The sentence holds keys, sizes and addresses, never values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    status: i32,
    source_name: Option<String>,
    message: String,
    http_status: Option<u16>,
    retry_after: Option<Duration>,
}

impl Error {
    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the number of the status, as `remora.h` lists it: always negative.
    pub fn status(&self) -> i32 {
        self.status
    }

    /// Returns the name of the status in C, such as `"REMORA_ERR_TIMEOUT"`.
    pub fn status_name(&self) -> &'static str {
        // SAFETY: takes any number, and returns a constant text.
        let name = unsafe { CStr::from_ptr(sys::remora_status_name(self.status)) };
        name.to_str().unwrap_or("REMORA_ERR_UNKNOWN")
    }

    /// Returns one sentence for a log or a person, without the status.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the name of the source, when the failure is about one; see
    /// [`Attempt::source_name`](crate::Attempt::source_name).
    pub fn source_name(&self) -> Option<&str> {
        self.source_name.as_deref()
    }

    /// Returns the HTTP status of the answer, when there was one.
    pub fn http_status(&self) -> Option<u16> {
        self.http_status
    }

    /// Returns how long to wait until a retry makes sense, when that is known.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the error for a malformed argument that cannot be passed to the library.
    pub(crate) fn invalid_argument(message: impl Into<String>) -> Self {
        Self::own(sys::REMORA_ERR_INVALID_ARGUMENT, message)
    }

    /// Returns the error for a value that does not exist.
    pub(crate) fn not_found(message: String) -> Self {
        Self::own(sys::REMORA_ERR_NOT_FOUND, message)
    }

    /// Returns the error for a value of another type.
    pub(crate) fn wrong_type(message: String) -> Self {
        Self::own(sys::REMORA_ERR_WRONG_TYPE, message)
    }

    /// Returns the error for a document that is not of the shape that the protocol prescribes.
    pub(crate) fn format(message: String) -> Self {
        Self::own(sys::REMORA_ERR_FORMAT, message)
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
        }
    }

    /// Reads what the library wrote.
    ///
    /// # Safety
    /// `raw` was filled by the library.
    pub(crate) unsafe fn from_raw(raw: &sys::remora_error) -> Self {
        // SAFETY: the library ends both texts with a NUL inside of their arrays.
        let (name, message) = unsafe {
            (
                CStr::from_ptr(raw.source_name.as_ptr()),
                CStr::from_ptr(raw.message.as_ptr()),
            )
        };
        let name = name.to_string_lossy();
        Self {
            kind: ErrorKind::from_raw(raw.status),
            status: raw.status,
            source_name: (!name.is_empty()).then(|| name.into_owned()),
            message: message.to_string_lossy().into_owned(),
            http_status: http_status(raw.http_status),
            retry_after: milliseconds(raw.retry_after_ms).filter(|time| !time.is_zero()),
        }
    }

    /// Reads an error that may be absent: NULL, or of status OK.
    ///
    /// # Safety
    /// `raw` is NULL or points to an error that the library filled.
    pub(crate) unsafe fn from_nullable(raw: *const sys::remora_error) -> Option<Self> {
        // SAFETY: guaranteed by the caller.
        let raw = unsafe { raw.as_ref() }.filter(|raw| raw.status != sys::REMORA_OK)?;
        // SAFETY: guaranteed by the caller.
        Some(unsafe { Self::from_raw(raw) })
    }

    /// Returns the result of a call of the library that reports only an error.
    ///
    /// # Safety
    /// As of `from_nullable`.
    pub(crate) unsafe fn result(raw: *const sys::remora_error) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { Self::from_nullable(raw) }.map_or(Ok(()), Err)
    }
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

/// Calls a function that takes an error last, and translates how it ends.
pub(crate) fn check(call: impl FnOnce(*mut sys::remora_error) -> sys::remora_status) -> Result<()> {
    // SAFETY: zero bytes are an error of numbers and an empty text.
    let mut error: sys::remora_error = unsafe { std::mem::zeroed() };
    match call(&mut error) {
        sys::REMORA_OK => Ok(()),
        // SAFETY: a function that returns a failure has filled the error.
        _ => Err(unsafe { Error::from_raw(&error) }),
    }
}
