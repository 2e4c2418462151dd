// SPDX-License-Identifier: Apache-2.0

//! Bound keys: places in a source that a program reads often.

use std::fmt;
use std::os::raw::c_char;
use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::ffi::{fetch, with_place};
use crate::source::get::{NEITHER, NO_TEXT};
use crate::source::Source;

/// A handle for a value that is read often, such as for each frame or packet. Created by
/// [`Source::key`].
///
/// The key caches its value. Until another version becomes live, a read needs no search, and is
/// several times faster than the getters of [`Source`]. Each read returns the value that is live at
/// that moment; two reads may see two versions.
///
/// A key keeps its source open. After [`Client::close`](crate::Client::close), reads of the key
/// return `None`. Every method may be called from any thread and does not block, except for the
/// first read in a forked child. To share a key between threads, borrow it or put it into an `Arc`.
#[must_use = "a key is for repeated reads; read once with the getters of the source"]
pub struct Key {
    raw: NonNull<sys::remora_key>,
    key: String,
    pointer: Option<String>,
    /// Closed after the key is released.
    source: Source,
}

// SAFETY: every function of the library may be called from any thread, and the key is released when
// no thread uses it any more.
unsafe impl Send for Key {}
// SAFETY: the library synchronises the reads of a key, and no method changes a field.
unsafe impl Sync for Key {}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key is ours, and this is its last use.
        unsafe { sys::remora_key_release(self.raw.as_ptr()) };
    }
}

/// Prints the key and the pointer, not the value.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("key", &self.key)
            .field("pointer", &self.pointer)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Returns a [`Key`], which caches one value for frequent reads. The value need not exist yet.
    ///
    /// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it.
    ///
    /// Any thread; does not block.
    ///
    /// # Errors
    /// `InvalidArgument`, `Closed`.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"grid": {"columns": 3}}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let settings = client.settings(None).fetch_at_open(false).packaged_data(data).open()?;
    /// let columns = settings.key("grid", "/columns")?;
    /// for _frame in 0..60 {
    ///     assert_eq!(columns.get_int().unwrap_or(1), 3);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn key<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<Key> {
        let pointer = pointer.into();
        let mut bound = ptr::null_mut();
        with_place(key, pointer, |key, pointer| {
            // SAFETY: the source lives as long as `self`, the texts during the call.
            check(|error| unsafe {
                sys::remora_key_bind(self.as_ptr(), key, pointer, &mut bound, error)
            })
        })?;
        Ok(Key {
            raw: NonNull::new(bound).ok_or_else(Error::closed)?,
            key: key.to_string(),
            pointer: pointer.map(str::to_string),
            source: self.clone(),
        })
    }
}

type TextGetter =
    unsafe extern "C" fn(*mut sys::remora_key, *mut c_char, usize, *const c_char) -> usize;

impl Key {
    /// Returns the boolean; `None` if the value does not exist or is not a boolean.
    #[inline]
    pub fn get_bool(&self) -> Option<bool> {
        // SAFETY: the key lives as long as `self`.
        let number = unsafe { sys::remora_key_get_bool(self.raw.as_ptr(), NEITHER) };
        (number != NEITHER).then_some(number != 0)
    }

    /// Returns the integer; `None` if the value does not exist or is not exactly a 64-bit integer.
    #[inline]
    pub fn get_int(&self) -> Option<i64> {
        // SAFETY: the key lives as long as `self`.
        let number = unsafe { sys::remora_key_get_int(self.raw.as_ptr(), i64::MIN) };
        if number != i64::MIN {
            return Some(number);
        }
        // The value does not exist, or equals the default: a snapshot shows which.
        let snapshot = self.source.snapshot().ok()?;
        snapshot.get_int(&self.key, self.pointer.as_deref()).ok()
    }

    /// Returns the number; `None` if the value does not exist or is not exactly a double.
    #[inline]
    pub fn get_double(&self) -> Option<f64> {
        // SAFETY: the key lives as long as `self`.
        let number = unsafe { sys::remora_key_get_double(self.raw.as_ptr(), f64::NAN) };
        // JSON has no NaN.
        (!number.is_nan()).then_some(number)
    }

    /// Returns a copy of the string; `None` if the value does not exist or is not a string.
    /// Strings of up to 64 bytes are cached.
    pub fn get_string(&self) -> Option<String> {
        // SAFETY: the library's getters write at most as many bytes as the buffer has.
        unsafe { self.copy_text(sys::remora_key_get_string) }
    }

    /// Returns a copy of the absolute URI; `None` if the value does not exist or is not such a URI.
    pub fn get_url(&self) -> Option<String> {
        // SAFETY: as above.
        unsafe { self.copy_text(sys::remora_key_get_url) }
    }

    /// Returns the canonical JSON text of a value of any type; `None` if the value does not exist
    /// or is null.
    pub fn get_json(&self) -> Option<String> {
        // SAFETY: as above.
        unsafe { self.copy_text(sys::remora_key_get_json) }
    }

    /// # Safety
    /// The getter must write at most as many bytes as the buffer has.
    unsafe fn copy_text(&self, getter: TextGetter) -> Option<String> {
        let absent = NO_TEXT.as_ptr().cast();
        // SAFETY: the key lives as long as `self`, and the buffer has that size.
        fetch(|buffer, size| unsafe { getter(self.raw.as_ptr(), buffer, size, absent) })
    }

    /// Returns a counter that increases if the value has changed since the previous call.
    ///
    /// While the counter stays the same, results that were computed from the value are still valid.
    /// Changes between two calls count as one.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.settings(None).fetch_at_open(false).open()?;
    /// let theme = source.key("theme", None)?;
    /// let before = theme.change_count();
    /// source.set_override("theme", None, "dark")?;
    /// assert!(theme.change_count() > before);
    /// # Ok(()) }
    /// ```
    #[inline]
    pub fn change_count(&self) -> u64 {
        // SAFETY: the key lives as long as `self`.
        let count = unsafe { sys::remora_key_get_change_count(self.raw.as_ptr()) };
        count.unsigned_abs()
    }
}
