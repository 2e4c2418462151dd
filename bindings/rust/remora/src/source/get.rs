// SPDX-License-Identifier: Apache-2.0

//! Reads on a source by key: they never fail, never block and never wait for who publishes.

use std::os::raw::c_char;
use std::ptr;

use remora_sys as sys;

use crate::ffi::{fetch, with_place};
use crate::source::Source;

/// No boolean of the library's.
const NEITHER: i32 = -1;

/// Each read is of the snapshot that is live at that moment; two reads may see two versions. Where
/// values must belong together, read them from one [`snapshot`](Source::snapshot).
///
/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it: `"/a/0"` is
/// element 0 of member "a".
impl Source {
    /// A boolean; `None` when there is no such value, it is no boolean, or the source is closed.
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

    /// An integer; `None` when there is no such value, it is not exactly a 64-bit integer, or the
    /// source is closed.
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
        // Absent, or that very number: only the snapshot tells.
        self.snapshot().ok()?.get_int(key, pointer).ok()
    }

    /// A number; `None` when there is no such value, it is not exactly a double, or the source is
    /// closed.
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

    /// A string, copied; `None` when there is no such value, it is no string, or the source is
    /// closed.
    ///
    /// [`Snapshot::get_str`](crate::Snapshot::get_str) does not copy. Any thread; does not block.
    pub fn get_string<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<String> {
        let snapshot = self.snapshot().ok()?;
        let text = snapshot.get_str(key, pointer).ok()?;
        Some(text.to_string())
    }

    /// An absolute URI of any scheme, such as `app://editor`, copied; `None` when there is no such
    /// value, it is no absolute URI, or the source is closed.
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
        let snapshot = self.snapshot().ok()?;
        let url = snapshot.get_url(key, pointer).ok()?;
        Some(url.to_string())
    }

    /// The canonical JSON text of a value of any type; `None` when there is no such value, it is
    /// null, or the source is closed.
    ///
    /// [`Snapshot::get_value`](crate::Snapshot::get_value), `get_array` and `get_object` need no
    /// text. Any thread; does not block.
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
        let text = read(key, pointer.into(), |key, pointer| {
            // SAFETY: the source lives as long as `self`, the texts during the call, and the buffer
            // has that size.
            fetch(|buffer, size, length| unsafe {
                let absent = ptr::null();
                *length = sys::remora_get_json(self.as_ptr(), key, pointer, buffer, size, absent);
                true
            })
        })??;
        (!text.is_empty()).then_some(text) // No JSON text is empty.
    }
}

/// Calls with key and pointer as C takes them; `None` when one contains a NUL, which no key does.
fn read<T>(
    key: &str,
    pointer: Option<&str>,
    call: impl FnOnce(*const c_char, *const c_char) -> T,
) -> Option<T> {
    with_place(key, pointer, |key, pointer| Ok(call(key, pointer))).ok()
}
