// SPDX-License-Identifier: Apache-2.0

//! Data that is packaged with a program.

use std::os::raw::c_char;
use std::path::PathBuf;

use crate::error::Result;
use crate::ffi::Texts;

/// The options of packaged data: a file or its bytes.
#[derive(Default)]
pub(crate) struct Packaged {
    pub(crate) file: Option<PathBuf>,
    pub(crate) data: Option<Vec<u8>>,
}

impl Packaged {
    /// Returns path, data and size in C; 0 if not set.
    pub(crate) fn raw(self, texts: &mut Texts) -> Result<(*const c_char, *const c_char, usize)> {
        let file = texts.option(&self.file, "packaged_file")?;
        let (data, size) = texts.bytes(self.data);
        Ok((file, data, size))
    }
}

/// The methods of these options, for a type that has a `Packaged` in a field. `$form` documents the
/// data.
macro_rules! packaged_options {
    ($field:ident, $form:literal) => {
        #[doc = $form]
        ///
        /// Not together with [`packaged_data`](Self::packaged_data).
        pub fn packaged_file(mut self, path: impl Into<std::path::PathBuf>) -> Self {
            self.$field.file = Some(path.into());
            self
        }

        /// Sets the packaged data as bytes, instead of a [`packaged_file`](Self::packaged_file).
        pub fn packaged_data(mut self, bytes: impl Into<Vec<u8>>) -> Self {
            self.$field.data = Some(bytes.into());
            self
        }
    };
}
pub(crate) use packaged_options;
