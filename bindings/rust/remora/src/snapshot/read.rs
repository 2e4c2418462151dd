// SPDX-License-Identifier: Apache-2.0

//! Typed reads of a snapshot, which return the reason if the value is missing.

use std::os::raw::c_char;
use std::ptr;

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::{text_out, with_place};
use crate::snapshot::{Elements, Kind, Members, RawValue, Snapshot, Value};

/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it.
///
/// # Errors
/// All these reads: `NotFound` (the value does not exist or is null), `WrongType`, `InvalidArgument`
/// (the key is empty, too long or contains a NUL, or the pointer is malformed).
impl Snapshot {
    /// Returns a boolean. Any thread; does not block.
    pub fn get_bool<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<bool> {
        let mut value = 0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_get_bool(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value != 0)
    }

    /// Returns an integer, or a double that is exactly a 64-bit integer. Any thread; does not
    /// block.
    pub fn get_int<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<i64> {
        let mut value = 0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_get_int(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value)
    }

    /// Returns a double, or an integer that is exactly a double. Any thread; does not block.
    pub fn get_double<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<f64> {
        let mut value = 0.0;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_get_double(self.as_ptr(), key, pointer, &mut value, error)
        })?;
        Ok(value)
    }

    /// Returns a string, which may contain NULs, without copying it. Any thread; does not block.
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
        unsafe { self.get_text(key, pointer.into(), sys::remora_snapshot_get_string) }
    }

    /// Returns a string that is an absolute URI (RFC 3986) of any scheme, such as `app://editor`,
    /// without copying it. Check the scheme before the URL is opened. A URL of http or https has a
    /// valid host, and neither user name nor password. Any thread; does not block.
    pub fn get_url<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<&str> {
        // SAFETY: as `get_text` wants it.
        unsafe { self.get_text(key, pointer.into(), sys::remora_snapshot_get_url) }
    }

    /// Returns a value of any type but null. Any thread; does not block.
    pub fn get_value<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<Value<'_>> {
        let mut value = RawValue::EMPTY;
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer.into(), |key, pointer, error| unsafe {
            sys::remora_snapshot_get(self.as_ptr(), key, pointer, &mut value.0, error)
        })?;
        // SAFETY: a value of this snapshot lives as long as `self`.
        let value = unsafe { Value::new(value) };
        if value.is_null() {
            return Err(Error::not_found(format!("the value of {key:?} is null")));
        }
        Ok(value)
    }

    /// Returns the elements of an array. Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "sizes": [1, 2]}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let sizes = snapshot.get_array("menu", "/sizes").map(|sizes| sizes.len()).unwrap_or(0);
    /// assert_eq!(sizes, 2);
    /// # Ok(()) }
    /// ```
    pub fn get_array<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<Elements<'_>> {
        let value = self.get_value(key, pointer)?;
        of_kind(value, key, Kind::Array).map(Value::elements)
    }

    /// Returns the members of an object, sorted by the bytes of their names. Any thread; does not
    /// block.
    pub fn get_object<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<Members<'_>> {
        let value = self.get_value(key, pointer)?;
        of_kind(value, key, Kind::Object).map(Value::members)
    }

    /// Reads a text with `call`.
    ///
    /// # Safety
    /// If it succeeds, `call` must store the address and the length of a text of this snapshot.
    unsafe fn get_text(&self, key: &str, pointer: Option<&str>, call: TextRead) -> Result<&str> {
        let (mut start, mut length) = (ptr::null(), 0);
        // SAFETY: the snapshot lives as long as `self`, the texts during the call.
        read(key, pointer, |key, pointer, error| unsafe {
            call(self.as_ptr(), key, pointer, &mut start, &mut length, error)
        })?;
        // SAFETY: a string of this snapshot lives as long as `self`.
        let text = unsafe { text_out(start, length) };
        text.ok_or_else(|| Error::wrong_type("the string is not UTF-8".to_string()))
    }
}

/// Returns the value if it has this type, and `WrongType` otherwise.
fn of_kind<'s>(value: Value<'s>, key: &str, kind: Kind) -> Result<Value<'s>> {
    let found = value.kind();
    if found == kind {
        return Ok(value);
    }
    let message = format!("the value of {key:?} is of kind {found:?}, not {kind:?}");
    Err(Error::wrong_type(message))
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
    with_place(key, pointer, |key, pointer| {
        check(|error| call(key, pointer, error))
    })
}
