// SPDX-License-Identifier: Apache-2.0

//! The records of a snapshot, and the fields of a record.

use crate::snapshot::{Entries, Members, Record, Snapshot, Value};

/// The members that are not fields of a record.
const COMMON: [&str; 3] = ["id", "last_modified", "attachment"];

impl Snapshot {
    /// Returns a record of a collection, by its id; `None` if the record does not exist.
    ///
    /// The record of a [`Change`](crate::Change) is `change.new_snapshot().record(change.key())`.
    pub fn record(&self, id: &str) -> Option<Record<'_>> {
        let value = self.get(id)?;
        let id = value.member("id")?.as_str()?;
        Some(Record::new(id, value, self))
    }

    /// Returns the records of a collection, sorted by the bytes of their ids. A damaged file ends the
    /// iterator early, as that of [`iter`](Self::iter).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 7, "dark": true}], "timestamp": 7}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// for record in snapshot.records() {
    ///     println!("{}: {}", record.id(), record.fields_json()?);
    /// }
    /// # assert_eq!(snapshot.records().len(), 1);
    /// # Ok(()) }
    /// ```
    pub fn records(&self) -> Records<'_> {
        Records {
            snapshot: self,
            entries: self.iter(),
        }
    }
}

/// The records of a snapshot; see [`Snapshot::records`].
#[derive(Clone, Debug)]
pub struct Records<'s> {
    snapshot: &'s Snapshot,
    entries: Entries<'s>,
}

impl<'s> Iterator for Records<'s> {
    type Item = Record<'s>;

    fn next(&mut self) -> Option<Record<'s>> {
        let (id, value) = self.entries.next()?;
        Some(Record::new(id, value, self.snapshot))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl DoubleEndedIterator for Records<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let (id, value) = self.entries.next_back()?;
        Some(Record::new(id, value, self.snapshot))
    }
}

impl ExactSizeIterator for Records<'_> {}

impl<'s> Record<'s> {
    /// Returns the members of the record except `id`, `last_modified` and `attachment`, sorted by the
    /// bytes of their names.
    pub fn fields(self) -> Fields<'s> {
        Fields(self.value().members())
    }
}

/// The fields of a record; see [`Record::fields`].
#[derive(Clone, Debug)]
pub struct Fields<'s>(Members<'s>);

fn is_field((name, _): &(&str, Value<'_>)) -> bool {
    !COMMON.contains(name)
}

impl<'s> Iterator for Fields<'s> {
    type Item = (&'s str, Value<'s>);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.find(is_field)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let members = self.0.len();
        (members.saturating_sub(COMMON.len()), Some(members))
    }
}

impl DoubleEndedIterator for Fields<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.rfind(is_field)
    }
}
