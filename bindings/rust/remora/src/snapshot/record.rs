// SPDX-License-Identifier: Apache-2.0

//! The records of a collection: values with an identity, a time and perhaps an attachment.

use std::fmt;
use std::ptr;
use std::time::SystemTime;

use remora_sys as sys;

use crate::ffi::fetch;
use crate::snapshot::{Snapshot, Value};
use crate::time::since_1970;

/// A record of a collection, borrowed from its snapshot and copied freely.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "title": "Lunch"}], "timestamp": 7}"#;
/// # let client = remora::Client::in_memory().build()?;
/// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
/// let menu = snapshot.record("menu").unwrap();
/// assert_eq!((menu.id(), menu.last_modified()), ("menu", 7));
/// assert_eq!(menu.get("title").and_then(|title| title.as_str()), Some("Lunch"));
/// assert_eq!(menu.fields_json(), r#"{"title":"Lunch"}"#);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Record<'s> {
    id: &'s str,
    value: Value<'s>,
    snapshot: &'s Snapshot,
}

impl<'s> Record<'s> {
    /// Creates a record of that snapshot.
    pub(crate) fn new(id: &'s str, value: Value<'s>, snapshot: &'s Snapshot) -> Self {
        Self {
            id,
            value,
            snapshot,
        }
    }

    /// Returns its id, which is its key in the snapshot.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let ids: Vec<&str> = snapshot.records().map(|record| record.id()).collect();
    /// assert_eq!(ids, ["menu"]);
    /// # Ok(()) }
    /// ```
    pub fn id(self) -> &'s str {
        self.id
    }

    /// Returns the server's timestamp of its last change, in ms since 1970.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let newest = snapshot.records().map(|record| record.last_modified()).max();
    /// assert_eq!(newest, Some(7));
    /// # Ok(()) }
    /// ```
    pub fn last_modified(self) -> i64 {
        let number = self.value.member("last_modified");
        number.and_then(Value::as_i64).unwrap_or_default()
    }

    /// Returns the same as a time; `None` if the number is 0 or negative.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1700000000000}], "timestamp": 1700000000000}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let modified_at = snapshot.record("menu").and_then(|menu| menu.modified_at());
    /// assert!(modified_at.unwrap() < std::time::SystemTime::now());
    /// # Ok(()) }
    /// ```
    pub fn modified_at(self) -> Option<SystemTime> {
        since_1970(self.last_modified())
    }

    /// Returns a member, by name; it may be null.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "dark": true}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let menu = snapshot.record("menu").unwrap();
    /// assert_eq!(menu.get("dark").and_then(|dark| dark.as_bool()), Some(true));
    /// assert!(menu.get("light").is_none());
    /// # Ok(()) }
    /// ```
    pub fn get(self, name: &str) -> Option<Value<'s>> {
        self.value.member(name)
    }

    /// Returns the same as one canonical JSON object, as [`Snapshot::to_json`] writes it.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "dark": true}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// assert_eq!(snapshot.record("menu").unwrap().fields_json(), r#"{"dark":true}"#);
    /// # Ok(()) }
    /// ```
    pub fn fields_json(self) -> String {
        // SAFETY: the value lives as long as `'s`, and the buffer has that size.
        let text = fetch(|buffer, size, length| unsafe {
            let (record, error) = (self.value.raw(), ptr::null_mut());
            sys::remora_value_record_fields(record, buffer, size, length, error) == sys::REMORA_OK
        });
        text.unwrap_or_default()
    }

    /// Returns the whole record as a value.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "sizes": [1, 2]}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let second = snapshot.record("menu").and_then(|menu| menu.value().at("/sizes/1"));
    /// assert_eq!(second.and_then(|size| size.as_i64()), Some(2));
    /// # Ok(()) }
    /// ```
    pub fn value(self) -> Value<'s> {
        self.value
    }

    /// Returns the snapshot of the record.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7}], "timestamp": 9}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let menu = snapshot.record("menu").unwrap();
    /// assert!(menu.last_modified() < menu.snapshot().info().version);
    /// # Ok(()) }
    /// ```
    pub fn snapshot(self) -> &'s Snapshot {
        self.snapshot
    }
}

impl fmt::Debug for Record<'_> {
    /// Prints its identity, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("id", &self.id)
            .field("last_modified", &self.last_modified())
            .finish_non_exhaustive()
    }
}
