// SPDX-License-Identifier: Apache-2.0

//! Reads of a source by key. Each calls one getter of the library.

use std::os::raw::c_char;

use remora_sys as sys;

use crate::ffi::{fetch, with_place};
use crate::source::Source;

/// A default of boolean reads that is neither true nor false.
pub(super) const NEITHER: i32 = -1;

/// A default of string reads that no value equals, because it is not UTF-8.
pub(super) const NO_TEXT: &[u8] = b"\xff\0";

/// A getter that copies a text like `snprintf`.
type TextGetter = unsafe extern "C" fn(
    *mut sys::remora_source,
    *const c_char,
    *const c_char,
    *mut c_char,
    usize,
    *const c_char,
) -> usize;

/// Each read returns a value of the snapshot that is live at that moment; two reads may see two
/// versions. Read values that must belong together from one [`snapshot`](Source::snapshot).
///
/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it: `"/a/0"` is
/// element 0 of member "a". A pointer that is not empty must begin with a slash. For a malformed
/// pointer, reads of a source return `None` and log a warning once, but reads of a snapshot return
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument).
///
/// A read that returns `None` because the value has another type writes a log line of level
/// `Debug`, once for each place and type.
///
/// Reads wait for no request, file or callback. The one exception is the first read in a forked
/// child of a source that is stored: it waits at most 50 ms for the thread `remora-engine`, and
/// then reads files.
impl Source {
    /// Returns a boolean; `None` if the value does not exist or is not a boolean, or if the source
    /// is closed.
    ///
    /// Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "dark": true}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("ui").packaged_data(data).open()?;
    /// assert!(source.get_bool("menu", "/dark").unwrap_or(false));
    /// # Ok(()) }
    /// ```
    pub fn get_bool<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<bool> {
        // SAFETY: the source lives as long as `self`, the texts during the call.
        let number = read(key, pointer.into(), |key, pointer| unsafe {
            sys::remora_get_bool(self.as_ptr(), key, pointer, NEITHER)
        })?;
        (number != NEITHER).then_some(number != 0)
    }

    /// Returns an integer; `None` if the value does not exist or is not exactly a 64-bit integer,
    /// or if the source is closed.
    ///
    /// Any thread; does not block.
    pub fn get_int<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<i64> {
        let pointer = pointer.into();
        // SAFETY: the source lives as long as `self`, the texts during the call.
        let number = read(key, pointer, |key, pointer| unsafe {
            sys::remora_get_int(self.as_ptr(), key, pointer, i64::MIN)
        })?;
        if number != i64::MIN {
            return Some(number);
        }
        // The value does not exist, or equals the default: the snapshot shows which.
        self.snapshot().ok()?.get_int(key, pointer).ok()
    }

    /// Returns a number; `None` if the value does not exist or is not exactly a double, or if the
    /// source is closed.
    ///
    /// Any thread; does not block.
    pub fn get_double<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<f64> {
        // SAFETY: the source lives as long as `self`, the texts during the call.
        let number = read(key, pointer.into(), |key, pointer| unsafe {
            sys::remora_get_double(self.as_ptr(), key, pointer, f64::NAN)
        })?;
        // JSON has no NaN.
        (!number.is_nan()).then_some(number)
    }

    /// Returns a copy of a string; `None` if the value does not exist or is not a string, or if the
    /// source is closed.
    ///
    /// [`Snapshot::get_str`](crate::Snapshot::get_str) does not copy. Any thread; does not block.
    pub fn get_string<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<String> {
        // SAFETY: the library's getters write at most as many bytes as the buffer has.
        unsafe { self.copy_text(key, pointer.into(), sys::remora_get_string) }
    }

    /// Returns a copy of an absolute URI of any scheme, such as `app://editor`; `None` if the value
    /// does not exist or is not an absolute URI, or if the source is closed.
    ///
    /// Check the scheme before the URL is opened. Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"help": "https://help.example/", "name": "no URL"}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings(None).fetch_at_open(false).packaged_data(data).open()?;
    /// assert_eq!(settings.get_url("help", None).as_deref(), Some("https://help.example/"));
    /// assert_eq!(settings.get_url("name", None), None);
    /// # Ok(()) }
    /// ```
    pub fn get_url<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<String> {
        // SAFETY: the library's getters write at most as many bytes as the buffer has.
        unsafe { self.copy_text(key, pointer.into(), sys::remora_get_url) }
    }

    /// Returns the canonical JSON text of a value of any type; `None` if the value does not exist
    /// or is null, or if the source is closed.
    ///
    /// [`Snapshot::get_value`](crate::Snapshot::get_value), `get_array` and `get_object` read
    /// arrays and objects without creating a text. Any thread; does not block.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"sizes": [1, 2]}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings(None).fetch_at_open(false).packaged_data(data).open()?;
    /// assert_eq!(settings.get_json("sizes", None).as_deref(), Some("[1,2]"));
    /// assert_eq!(settings.get_json("colors", None), None);
    /// # Ok(()) }
    /// ```
    pub fn get_json<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<String> {
        // SAFETY: the library's getters write at most as many bytes as the buffer has.
        unsafe { self.copy_text(key, pointer.into(), sys::remora_get_json) }
    }

    /// # Safety
    /// The getter must write at most as many bytes as the buffer has.
    unsafe fn copy_text(
        &self,
        key: &str,
        pointer: Option<&str>,
        getter: TextGetter,
    ) -> Option<String> {
        let absent = NO_TEXT.as_ptr().cast();
        read(key, pointer, |key, pointer| {
            // SAFETY: the source lives as long as `self`, the texts during the call, and the buffer
            // has that size.
            fetch(|buffer, size| unsafe {
                getter(self.as_ptr(), key, pointer, buffer, size, absent)
            })
        })?
    }
}

/// Calls a function with key and pointer as C strings; `None` if one contains a NUL, because no key
/// contains a NUL.
fn read<T>(
    key: &str,
    pointer: Option<&str>,
    call: impl FnOnce(*const c_char, *const c_char) -> T,
) -> Option<T> {
    with_place(key, pointer, |key, pointer| Ok(call(key, pointer))).ok()
}
