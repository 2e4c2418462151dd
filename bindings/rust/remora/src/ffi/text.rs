// SPDX-License-Identifier: Apache-2.0

//! Texts that one call passes to the library, where they end with a NUL, and texts of the library.

use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::{ptr, slice, str};

use crate::error::{Error, Result};

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

/// Returns a text of the library; `None` if it is not UTF-8, which the header rules out.
///
/// # Safety
/// `start` must point to `length` bytes that live, unchanged, as long as `'a`.
pub(crate) unsafe fn text_out<'a>(start: *const c_char, length: usize) -> Option<&'a str> {
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { slice::from_raw_parts(start.cast::<u8>(), length) };
    str::from_utf8(bytes).ok()
}

/// Copies a text of the library.
///
/// # Safety
/// `start` must point to `length` bytes.
pub(crate) unsafe fn copy_out(start: *const c_char, length: usize) -> String {
    // SAFETY: guaranteed by the caller.
    unsafe { text_out(start, length) }
        .unwrap_or_default()
        .to_string()
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

/// Calls a function that works like snprintf, with a buffer that is large enough for the whole text.
/// Returns the text; `None` if a call fails.
pub(crate) fn fetch(
    mut call: impl FnMut(*mut c_char, usize, &mut usize) -> bool,
) -> Option<String> {
    let mut buffer = vec![0u8; SHORT];
    loop {
        let mut length = 0;
        if !call(buffer.as_mut_ptr().cast(), buffer.len(), &mut length) {
            return None;
        }
        if length < buffer.len() {
            buffer.truncate(length);
            return String::from_utf8(buffer).ok();
        }
        buffer.resize(length + 1, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = fetch(|buffer, size, length| {
            attempts += 1;
            *length = whole.len();
            let copied = whole.len().min(size - 1);
            // SAFETY: the buffer has `size` bytes.
            unsafe { std::ptr::copy_nonoverlapping(whole.as_ptr(), buffer.cast(), copied) };
            true
        });
        assert_eq!((text.unwrap(), attempts), (whole, 2));
    }
}
