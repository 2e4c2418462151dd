// SPDX-License-Identifier: Apache-2.0

//! Reads by key, and overrides.

use remora::{Snapshot, Source, Value};
use serde::de::{Deserialize, DeserializeOwned};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::value::Typed;

/// Converts a value to a type. Strings can be borrowed from the value's snapshot. Does not block.
///
/// # Errors
/// `WrongType` (the value does not fit the type).
pub fn from_value<'s, T: Deserialize<'s>>(value: Value<'s>) -> Result<T> {
    T::deserialize(Typed(value))
}

/// Typed reads and overrides of a source. `pointer` is `None` for the whole value, or a JSON Pointer
/// (RFC 6901) into it.
pub trait SourceExt: sealed::Source {
    /// Returns a value as a type; `None` if the value does not exist, is null, or does not fit the
    /// type, or if the source is closed.
    ///
    /// Use [`SnapshotExt::get_as`] to get the reason. Any thread; does not block, as the other
    /// reads of a source.
    fn get_as<'p, T: DeserializeOwned>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Option<T>;

    /// Sets an override like [`Source::set_override`], from a value of any serializable type. NaN
    /// and the infinities become null. Any thread; blocks as `set_override`.
    ///
    /// # Errors
    /// `InvalidArgument` (the value cannot be written as JSON, or has an integer that does not fit
    /// in an `i64`), and those of `set_override`. After an error, nothing was changed.
    fn set_override_as<'p, T: Serialize + ?Sized>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        value: &T,
    ) -> Result<()>;
}

impl SourceExt for Source {
    fn get_as<'p, T: DeserializeOwned>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Option<T> {
        self.snapshot().ok()?.get_as(key, pointer).ok()
    }

    fn set_override_as<'p, T: Serialize + ?Sized>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        value: &T,
    ) -> Result<()> {
        let json = serde_json::to_string(value).map_err(Error::unwritable)?;
        Ok(self.set_override(key, pointer, remora::Json(&json))?)
    }
}

/// Typed reads of a snapshot.
pub trait SnapshotExt: sealed::Snapshot {
    /// Returns a value, which must not be null, as a type. `pointer` is `None` for the whole value,
    /// or a JSON Pointer (RFC 6901) into it. Strings can be borrowed from the snapshot. Any thread;
    /// does not block.
    ///
    /// # Errors
    /// `WrongType` (the value does not fit the type; the error has the place), `NotFound` (the value
    /// does not exist or is null), `InvalidArgument` (the key is empty, too long or contains a NUL,
    /// or the pointer is malformed).
    fn get_as<'s, 'p, T: Deserialize<'s>>(
        &'s self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<T>;
}

impl SnapshotExt for Snapshot {
    fn get_as<'s, 'p, T: Deserialize<'s>>(
        &'s self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Result<T> {
        let pointer = pointer.into();
        from_value(self.get_value(key, pointer)?)
            .map_err(|error: Error| error.below(pointer.unwrap_or_default()).below(key))
    }
}

/// Prevents implementations of the traits in other crates, so that functions can be added.
mod sealed {
    pub trait Source {}
    impl Source for remora::Source {}

    pub trait Snapshot {}
    impl Snapshot for remora::Snapshot {}
}
