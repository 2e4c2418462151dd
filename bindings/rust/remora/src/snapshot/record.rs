// SPDX-License-Identifier: Apache-2.0

//! The records of a collection: values with an id, a time and perhaps an attachment.

use std::fmt;
use std::time::SystemTime;

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::written;
use crate::snapshot::{Snapshot, Value};
use crate::time::since_1970;

/// A record of a collection, borrowed from its snapshot.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "title": "Lunch"}], "timestamp": 7}"#;
/// # let client = remora::Client::in_memory().build()?;
/// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
/// let menu = snapshot.record("menu").unwrap();
/// assert_eq!((menu.id(), menu.last_modified()), ("menu", 7));
/// assert_eq!(menu.get("title").and_then(|title| title.as_str()), Some("Lunch"));
/// assert_eq!(menu.fields_json()?, r#"{"title":"Lunch"}"#);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Record<'s> {
    id: &'s str,
    value: Value<'s>,
    snapshot: &'s Snapshot,
}

impl<'s> Record<'s> {
    /// Creates a record of a snapshot.
    pub(crate) fn new(id: &'s str, value: Value<'s>, snapshot: &'s Snapshot) -> Self {
        Self {
            id,
            value,
            snapshot,
        }
    }

    /// Returns the id of the record, which is its key in the snapshot.
    pub fn id(self) -> &'s str {
        self.id
    }

    /// Returns the server's timestamp of the last change of the record, in ms since 1970.
    pub fn last_modified(self) -> i64 {
        let number = self.value.member("last_modified");
        number.and_then(Value::as_i64).unwrap_or_default()
    }

    /// Returns `last_modified` as a time; `None` if it is 0 or negative.
    pub fn modified_at(self) -> Option<SystemTime> {
        since_1970(self.last_modified())
    }

    /// Returns the member with this name, which may be null; `None` if the member does not exist.
    pub fn get(self, name: &str) -> Option<Value<'s>> {
        self.value.member(name)
    }

    /// Returns the [`fields`](Self::fields) as canonical JSON text; see [`Snapshot::to_json`].
    ///
    /// # Errors
    /// `Corrupt` (the stored file was damaged or changed while in use), `WrongType` (the value is not
    /// an object; never in a collection).
    pub fn fields_json(self) -> Result<String> {
        // SAFETY: the value lives as long as `'s`, and the buffer has that size.
        written(|buffer, size, length, error| unsafe {
            sys::remora_value_record_fields(self.value.raw(), buffer, size, length, error)
        })
    }

    /// Returns the whole record as a value.
    pub fn value(self) -> Value<'s> {
        self.value
    }

    /// Returns the snapshot of the record.
    pub fn snapshot(self) -> &'s Snapshot {
        self.snapshot
    }
}

impl fmt::Debug for Record<'_> {
    /// Prints the id and the time of the record, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("id", &self.id)
            .field("last_modified", &self.last_modified())
            .finish_non_exhaustive()
    }
}
