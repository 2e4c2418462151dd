// SPDX-License-Identifier: Apache-2.0

//! Texts that one call passes to the library, where they end with a NUL, and texts of the library.

use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::{ptr, slice, str};

use remora_sys as sys;

use crate::error::{check, Error, Result};

/// The maximum length, with the NUL, of keys and pointers that need no allocation.
const SHORT: usize = 128;

/// Calls a function with a text as a C string; fails if the text contains a NUL.
pub(crate) fn with_text<T>(
    text: &str,
    name: &str,
    call: impl FnOnce(*const c_char) -> Result<T>,
) -> Result<T> {
    let length = text.len();
    if length >= SHORT {
        return call(c_string(text, name)?.as_ptr());
    }
    let mut buffer = [0; SHORT];
    buffer[..length].copy_from_slice(text.as_bytes());
    let text = CStr::from_bytes_with_nul(&buffer[..=length]);
    call(text.map_err(|_| contains_nul(name))?.as_ptr())
}

/// Calls a function with an optional text, as [`with_text`]; NULL for `None`.
pub(crate) fn with_option<T>(
    text: Option<&str>,
    name: &str,
    call: impl FnOnce(*const c_char) -> Result<T>,
) -> Result<T> {
    match text {
        Some(text) => with_text(text, name, call),
        None => call(ptr::null()),
    }
}

/// Like [`with_text`], for a key and a JSON Pointer into its value.
pub(crate) fn with_place<T>(
    key: &str,
    pointer: Option<&str>,
    call: impl FnOnce(*const c_char, *const c_char) -> Result<T>,
) -> Result<T> {
    with_text(key, "key", |key| {
        with_option(pointer, "pointer", |pointer| call(key, pointer))
    })
}

/// Copies a text to a C string; fails if the text contains a NUL.
pub(super) fn c_string(text: impl Into<Vec<u8>>, name: &str) -> Result<CString> {
    CString::new(text).map_err(|_| contains_nul(name))
}

fn contains_nul(name: &str) -> Error {
    Error::invalid_argument(name, "contains a NUL")
}

/// Returns a text of the library; `None` if it is not UTF-8, which happens only if a stored
/// file was damaged or changed while in use.
///
/// # Safety
/// `start` must point to `length` bytes that live, unchanged, as long as `'a`.
pub(crate) unsafe fn text_out<'a>(start: *const c_char, length: usize) -> Option<&'a str> {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { slice::from_raw_parts(start.cast::<u8>(), length) };
    str::from_utf8(bytes).ok()
}

/// Copies a text of the library. Bytes that are not UTF-8 become U+FFFD, as in [`copy_of`].
///
/// # Safety
/// `start` must point to `length` bytes.
pub(crate) unsafe fn copy_out(start: *const c_char, length: usize) -> String {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Copies a text of the library that ends with a NUL.
///
/// # Safety
/// `start` must point to such a text.
pub(crate) unsafe fn copy_of(start: *const c_char) -> String {
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(start) }
        .to_string_lossy()
        .into_owned()
}

/// Calls a getter, which copies a text like snprintf, with a buffer that is large enough. Returns the
/// text; `None` if it is not UTF-8.
pub(crate) fn fetch(mut getter: impl FnMut(*mut c_char, usize) -> usize) -> Option<String> {
    let bytes = whole(|buffer, size| Ok(getter(buffer, size)));
    String::from_utf8(bytes.ok()?).ok()
}

/// Calls a function that writes a text like snprintf, with a buffer that is large enough. Returns
/// the text, or the error of the function.
pub(crate) fn written<W>(mut write: W) -> Result<String>
where
    W: FnMut(*mut c_char, usize, *mut usize, *mut sys::remora_error) -> sys::remora_status,
{
    let bytes = whole(|buffer, size| {
        let mut length = 0;
        check(|error| write(buffer, size, &mut length, error)).map(|()| length)
    })?;
    // Stored texts are UTF-8 unless their file was changed.
    String::from_utf8(bytes).map_err(|_| Error::corrupt("the text is not UTF-8"))
}

/// Calls a function that copies a text and returns its length, until the buffer is large enough.
fn whole(mut copy: impl FnMut(*mut c_char, usize) -> Result<usize>) -> Result<Vec<u8>> {
    let mut buffer = vec![0u8; SHORT];
    loop {
        let length = copy(buffer.as_mut_ptr().cast(), buffer.len())?;
        if length < buffer.len() {
            buffer.truncate(length);
            return Ok(buffer);
        }
        buffer.resize(length + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_string_of_any_length_is_passed_to_c_completely_and_a_nul_in_it_is_refused() {
        for length in [0, 1, SHORT - 1, SHORT, SHORT * 3] {
            let text = "k".repeat(length);
            let back = with_text(&text, "key", |text| {
                // SAFETY: the text lives during the call.
                Ok(unsafe { CStr::from_ptr(text) }.to_owned())
            });
            assert_eq!(back.unwrap().to_bytes(), text.as_bytes());
            let error = with_text(&(text + "\0"), "key", |_| Ok(())).unwrap_err();
            assert_eq!(error.message(), "key contains a NUL");
        }
    }

    #[test]
    fn a_string_that_is_longer_than_the_first_buffer_is_fetched_completely() {
        let whole = "x".repeat(SHORT * 2);
        let mut attempts = 0;
        let text = fetch(|buffer, size| {
            attempts += 1;
            // SAFETY: the buffer has `size` bytes.
            unsafe { copy(whole.as_bytes(), buffer, size) }
        });
        assert_eq!((text.unwrap(), attempts), (whole, 2));
    }

    #[test]
    fn a_text_that_is_not_written_or_is_not_utf_8_is_an_error_and_not_an_empty_text() {
        let failed = written(|_, _, _, error| {
            // SAFETY: the caller provides the error.
            unsafe { (*error).status = sys::REMORA_ERR_CORRUPT };
            sys::REMORA_ERR_CORRUPT
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Corrupt);
        let damaged = written(|buffer, size, length, _| {
            // SAFETY: the buffer has `size` bytes, and the caller provides the length.
            unsafe { *length = copy(b"\"\xff\"", buffer, size) };
            sys::REMORA_OK
        });
        assert_eq!(damaged.unwrap_err().kind(), ErrorKind::Corrupt);
    }

    /// Copies as many bytes as fit before a NUL, and returns the number of all.
    ///
    /// # Safety
    /// The buffer must have `size` bytes.
    unsafe fn copy(text: &[u8], buffer: *mut c_char, size: usize) -> usize {
        // SAFETY: guaranteed by the caller.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), buffer.cast(), text.len().min(size - 1)) };
        text.len()
    }
}
