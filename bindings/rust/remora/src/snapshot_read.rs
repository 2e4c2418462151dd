// SPDX-License-Identifier: Apache-2.0

//! Typed reads on a snapshot, which tell why there is no such value.

use std::os::raw::c_char;
use std::ptr;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::snapshot::Snapshot;
use crate::text::{text_out, with_pointer, with_text};

/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it.
///
/// # Errors
/// All of them: `NotFound` (no such key, nothing there, or null), `WrongType`, `InvalidArgument`
/// (the key is empty, too long or holds a NUL; a malformed pointer).
impl Snapshot {
    /// Reads a boolean. Any thread; does not block.
    pub fn get_bool<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<bool> {
        let mut value = 0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_bool(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value != 0)
    }

    /// Reads an integer. A double that is exactly a 64-bit integer counts. Any thread; does not
    /// block.
    pub fn get_int<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<i64> {
        let mut value = 0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_int(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value)
    }

    /// Reads a number. An integer that is exactly a double counts. Any thread; does not block.
    pub fn get_double<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_double(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value)
    }

    /// Reads a string without copying it. It may hold NULs. Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "title": "Lunch"}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// use remora::ErrorKind;
    /// assert_eq!(snapshot.get_str("menu", "/title")?, "Lunch");
    /// assert_eq!(snapshot.get_str("menu", None).unwrap_err().kind(), ErrorKind::WrongType);
    /// # Ok(()) }
    /// ```
    pub fn get_str<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<&str> {
        // SAFETY: as `get_text` wants it.
        unsafe { self.get_text(key, pointer.into(), sys::remora_snapshot_string) }
    }

    /// Reads a string that is an absolute URL of http or https, without copying it. User name and
    /// password are not accepted in it. Any thread; does not block.
    pub fn get_url<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<&str> {
        // SAFETY: as `get_text` wants it.
        unsafe { self.get_text(key, pointer.into(), sys::remora_snapshot_url) }
    }

    /// # Safety
    /// The call gives a text of the snapshot.
    unsafe fn get_text(&self, key: &str, pointer: Option<&str>, call: TextRead) -> Result<&str> {
        let (mut start, mut length) = (ptr::null(), 0);
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer, |key, pointer, error| unsafe {
            call(self.as_ptr(), key, pointer, &mut start, &mut length, error)
        })?;
        // SAFETY: a string of this snapshot lives as long as `self`.
        let text = unsafe { text_out(start, length) };
        text.ok_or_else(|| Error::invalid_argument("the string is not UTF-8"))
    }
}

type TextRead = unsafe extern "C" fn(
    *const sys::remora_snapshot,
    *const c_char,
    *const c_char,
    *mut *const c_char,
    *mut usize,
    *mut sys::remora_error,
) -> sys::remora_status;

fn read(
    key: &str,
    pointer: Option<&str>,
    call: impl FnOnce(*const c_char, *const c_char, *mut sys::remora_error) -> sys::remora_status,
) -> Result<()> {
    with_text(key, "key", |key| {
        with_pointer(pointer, |pointer| check(|error| call(key, pointer, error)))?
    })?
}
