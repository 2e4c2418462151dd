// SPDX-License-Identifier: Apache-2.0

//! Why a read returns its value.

use std::fmt;
use std::os::raw::c_char;

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{with_place, written};
use crate::source::Source;

/// The reason for a read's value; see [`Source::explain`]. Its `Display` has lines of up to 80
/// columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    json: String,
    text: String,
}

impl Explanation {
    /// Returns the explanation as one line of JSON, for programs and logs. Its members are:
    ///
    /// - `key`, `pointer`, `value`; `type`, such as `"int"`, or `"none"`; `reason`, if the value is
    ///   missing or null
    /// - `layers`, the highest first, except that `hidden` wins over `override`. Each layer has
    ///   `layer` (`override`, `hidden`, `live`, `carried_over`, `default`, `packaged`, `staged`,
    ///   `previous` or `rejected`), `value`, `reason` and `wins`; a version of the data also has
    ///   `version`, `fetched_at_ms` and `verified`
    ///
    /// Later versions may add members and layers.
    pub fn json(&self) -> &str {
        &self.json
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Source {
    /// Returns why reads return their value for a key, or for the part of its value at a JSON
    /// Pointer: the layers (such as overrides) that have a value there or hide it, the layer that
    /// wins, and why there is no value. Use it on debug pages and in logs. The result contains
    /// values.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// source.set_override("limits", "/max_uploads", 5)?;
    /// print!("{}", source.explain("limits", "/max_uploads")?);
    /// # Ok(()) }
    /// ```
    ///
    /// Any thread; blocks for reading files.
    ///
    /// # Errors
    /// `InvalidArgument` (malformed pointer), `Closed`, `Corrupt`, `TooLarge`.
    pub fn explain<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<Explanation> {
        with_place(key, pointer.into(), |key, pointer| {
            Ok(Explanation {
                json: self.explanation(key, pointer, 0)?,
                text: self.explanation(key, pointer, sys::REMORA_EXPLAIN_TEXT)?,
            })
        })
    }

    fn explanation(
        &self,
        key: *const c_char,
        pointer: *const c_char,
        flags: u32,
    ) -> Result<String> {
        let source = self.as_ptr();
        // SAFETY: the source lives as long as `self`, the texts and the buffer during the call.
        written(|buffer, size, length, error| unsafe {
            sys::remora_explain(source, key, pointer, flags, buffer, size, length, error)
        })
    }
}
