// SPDX-License-Identifier: Apache-2.0

//! The data to which the options of a call point: texts, arrays of texts, and bytes.

use std::ffi::{CString, OsStr};
use std::os::raw::c_char;
use std::os::unix::ffi::OsStrExt;
use std::ptr;

use crate::error::Result;
use crate::ffi::text::c_string;

/// Owns the data to which options point. In the methods, `name` is the option's name in errors.
#[derive(Default)]
pub struct Texts {
    texts: Vec<CString>,
    arrays: Vec<Vec<*const c_char>>,
    bytes: Vec<Vec<u8>>,
}

impl Texts {
    /// Adds a text; fails if it contains a NUL.
    pub(crate) fn text(&mut self, text: impl AsRef<OsStr>, name: &str) -> Result<*const c_char> {
        let text = c_string(text.as_ref().as_bytes(), name)?;
        let start = text.as_ptr();
        self.texts.push(text);
        Ok(start)
    }

    /// Adds an optional text; NULL for `None`.
    pub(crate) fn option(
        &mut self,
        text: &Option<impl AsRef<OsStr>>,
        name: &str,
    ) -> Result<*const c_char> {
        text.as_ref()
            .map_or(Ok(ptr::null()), |text| self.text(text, name))
    }

    /// Adds an array that ends with NULL.
    pub(crate) fn array(&mut self, texts: &[String], name: &str) -> Result<*const *const c_char> {
        let mut array = Vec::with_capacity(texts.len() + 1);
        for text in texts {
            array.push(self.text(text, name)?);
        }
        array.push(ptr::null());
        let start = array.as_ptr();
        self.arrays.push(array);
        Ok(start)
    }

    /// Adds optional bytes without a copy, and returns their address and number.
    pub(crate) fn bytes(&mut self, bytes: Option<Vec<u8>>) -> (*const c_char, usize) {
        let part = bytes.as_ref().map_or((ptr::null(), 0), |bytes| {
            (bytes.as_ptr().cast(), bytes.len())
        });
        self.bytes.extend(bytes);
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn the_c_strings_of_options_stay_valid_while_further_strings_are_added() {
        let mut texts = Texts::default();
        let names: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let array = texts.array(&names, "name").unwrap();
        let absent: Option<String> = None;
        assert!(texts.option(&absent, "absent").unwrap().is_null());
        for (place, name) in names.iter().enumerate() {
            // SAFETY: the array has so many texts, and they live as long as `texts`.
            let text = unsafe { CStr::from_ptr(*array.add(place)) };
            assert_eq!(text.to_str(), Ok(name.as_str()));
        }
        // SAFETY: as above; this is its end.
        assert!(unsafe { *array.add(names.len()) }.is_null());
        let error = texts.text("a\0b", "path").unwrap_err();
        assert_eq!(error.message(), "path contains a NUL");
    }
}
