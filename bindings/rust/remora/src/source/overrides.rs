// SPDX-License-Identifier: Apache-2.0

//! Overrides: values of the program that take precedence over fetched ones.

use remora_sys as sys;

use crate::error::{check, Result};
use crate::ffi::{collect, copy_out, with_place, with_text};
use crate::snapshot::{Origin, Snapshot};
use crate::source::Source;

/// One override of a source; see [`Source::overrides`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Override {
    /// The key.
    pub key: String,
    /// The JSON Pointer to the place in the value of the key; empty for the whole value.
    pub pointer: String,
    /// The value of the override, as canonical JSON text.
    pub json: String,
}

/// JSON text as the value of an override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Json<'j>(pub &'j str);

/// The value of a new override: a boolean, a number, a string, or [`Json`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NewOverride<'v> {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A finite double.
    Double(f64),
    /// A string.
    Str(&'v str),
    /// JSON text of any type.
    Json(&'v str),
}

macro_rules! override_from {
    ($($from:ty => $variant:ident,)+) => {
        $(impl From<$from> for NewOverride<'_> {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}

override_from! { bool => Bool, i32 => Int, u32 => Int, i64 => Int, f64 => Double, }

impl<'v> From<&'v str> for NewOverride<'v> {
    fn from(value: &'v str) -> Self {
        Self::Str(value)
    }
}

impl<'v> From<&'v String> for NewOverride<'v> {
    fn from(value: &'v String) -> Self {
        Self::Str(value)
    }
}

impl<'v> From<Json<'v>> for NewOverride<'v> {
    fn from(value: Json<'v>) -> Self {
        Self::Json(value.0)
    }
}

/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it. See
/// `docs/overrides.md` in the repository.
impl Source {
    /// Sets an override: a value that takes precedence over fetched values until the override is
    /// cleared.
    ///
    /// A missing key and missing objects on the path are created. The override replaces earlier
    /// overrides at the same place and inside it. When the call returns, the value is live;
    /// subscribers are notified with the cause [`Override`](crate::Cause::Override). Closing the
    /// source clears the override, unless
    /// [`persist_overrides`](crate::CollectionBuilder::persist_overrides) is set.
    ///
    /// Any thread, also in a closure that Remora calls. Blocks for a running job of the thread `remora-engine`.
    /// With `persist_overrides`, also blocks for file system calls, and at most 5 s for another
    /// client or process that stores overrides of the source.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// source.set_override("uploads", "/per_day", 50)?;
    /// source.set_override("uploads", "/hosts", remora::Json(r#"["a.example"]"#))?;
    /// assert_eq!(source.get_int("uploads", "/per_day"), Some(50));
    /// source.clear_override("uploads", None)?;
    /// assert_eq!(source.get_int("uploads", "/per_day"), None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (the key, the pointer or the value is malformed or exceeds a limit),
    /// `WrongType` (a value on the path is not an object), `TooLarge` (more than 10,000 overrides),
    /// `Closed`. After an error, nothing was changed. A storage failure is not an error: see
    /// [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn set_override<'p, 'v>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        value: impl Into<NewOverride<'v>>,
    ) -> Result<()> {
        self.set_override_by(0, key, pointer.into(), value.into())
    }

    /// Sets an override like [`set_override`](Self::set_override), but only if the source has data
    /// for the key.
    ///
    /// Use this method at program start to change a part of a value that the server sends: a key or
    /// namespace that the server has removed is not created again. A key that has overrides but no
    /// data from the server counts as missing. Check and change are one atomic operation.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// let error = source.set_override_if_exists("uploads", "/per_day", 50).unwrap_err();
    /// assert_eq!(error.kind(), remora::ErrorKind::NotFound);
    /// assert!(source.overrides()?.is_empty());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `NotFound` (the source has no data for the key), and those of
    /// [`set_override`](Self::set_override).
    pub fn set_override_if_exists<'p, 'v>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        value: impl Into<NewOverride<'v>>,
    ) -> Result<()> {
        let flags = sys::REMORA_OVERRIDE_IF_EXISTS;
        self.set_override_by(flags, key, pointer.into(), value.into())
    }

    fn set_override_by(
        &self,
        flags: u32,
        key: &str,
        pointer: Option<&str>,
        value: NewOverride<'_>,
    ) -> Result<()> {
        use NewOverride::*;
        let source = self.as_ptr();
        let text = match value {
            Str(text) | Json(text) => text,
            _ => "",
        };
        with_place(key, pointer, |key, pointer| {
            with_text(text, "value", |text| {
                // SAFETY: the source lives as long as `self`, the texts during the call.
                check(|error| unsafe {
                    match value {
                        Bool(value) => {
                            let value = value.into();
                            sys::remora_override_set_bool(source, key, pointer, value, flags, error)
                        }
                        Int(value) => {
                            sys::remora_override_set_int(source, key, pointer, value, flags, error)
                        }
                        Double(value) => sys::remora_override_set_double(
                            source, key, pointer, value, flags, error,
                        ),
                        Str(_) => sys::remora_override_set_string(
                            source, key, pointer, text, flags, error,
                        ),
                        Json(_) => {
                            sys::remora_override_set(source, key, pointer, text, flags, error)
                        }
                    }
                })
            })
        })
    }

    /// Clears the overrides of a key at `pointer` and inside it; with `None`, all overrides of the
    /// key. Reads return the fetched values again. Blocks as [`set_override`](Self::set_override).
    ///
    /// # Errors
    /// `NotFound` (the place has no override), `InvalidArgument`, `Closed`.
    pub fn clear_override<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Result<()> {
        with_place(key, pointer.into(), |key, pointer| {
            // SAFETY: the source lives as long as `self`, the texts during the call.
            check(|error| unsafe { sys::remora_override_clear(self.as_ptr(), key, pointer, error) })
        })
    }

    /// Clears all overrides. Blocks as [`set_override`](Self::set_override).
    ///
    /// # Errors
    /// `Closed`.
    pub fn clear_overrides(&self) -> Result<()> {
        // SAFETY: the source lives as long as `self`.
        check(|error| unsafe { sys::remora_override_clear_all(self.as_ptr(), error) })
    }

    /// Returns the overrides, sorted by the bytes of the key, then of the pointer. Does not block.
    ///
    /// # Errors
    /// `Closed`.
    pub fn overrides(&self) -> Result<Vec<Override>> {
        // SAFETY: the pointers of an entry are valid as long as the entry.
        let copy = |raw: &_| unsafe { Override::from_raw(raw) };
        collect(copy, |step, user_data| {
            let source = self.as_ptr();
            // SAFETY: the source lives as long as `self`.
            check(|error| unsafe { sys::remora_override_foreach(source, step, user_data, error) })
        })
    }
}

impl Override {
    /// # Safety
    /// The pointers of `raw` must be valid during the call.
    unsafe fn from_raw(raw: &sys::remora_override) -> Self {
        // SAFETY: guaranteed by the caller, and the texts have these lengths.
        unsafe {
            Self {
                key: copy_out(raw.key, raw.key_length),
                pointer: copy_out(raw.pointer, raw.pointer_length),
                json: copy_out(raw.json, raw.json_length),
            }
        }
    }
}

impl Snapshot {
    /// Returns the origin of the value of a key: [`Origin::Override`] if any part is overridden,
    /// [`Origin::Default`] if the whole value is from the default bundle, else the origin of the
    /// snapshot. `None` if the key does not exist. Does not block.
    pub fn origin_of(&self, key: &str) -> Option<Origin> {
        let mut origin = 0;
        with_text(key, "key", |key| {
            // SAFETY: the snapshot lives as long as `self`, the key during the call.
            check(|error| unsafe {
                sys::remora_snapshot_get_origin(self.as_ptr(), key, &mut origin, error)
            })
        })
        .ok()?;
        Some(Origin::from_raw(origin))
    }
}
