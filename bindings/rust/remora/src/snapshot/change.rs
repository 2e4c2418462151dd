// SPDX-License-Identifier: Apache-2.0

//! A changed key, with the snapshots that contain its values.

use std::fmt;
use std::ptr;

use remora_sys as sys;

use crate::ffi::{each, text_out};
use crate::open_enum::open_enum;
use crate::snapshot::{RawValue, Snapshot, Value};

open_enum! {
    /// The kind of a change.
    ChangeKind(remora_change_kind_name) {
        /// The key was created.
        Created = REMORA_CHANGE_CREATED,
        /// The value of the key has changed.
        Updated = REMORA_CHANGE_UPDATED,
        /// The key was deleted.
        Deleted = REMORA_CHANGE_DELETED,
    }
}

/// A changed key. A program may keep a `Change`, which keeps the old and the new snapshot.
#[derive(Clone)]
pub struct Change {
    kind: ChangeKind,
    key: String,
    old_value: RawValue,
    new_value: RawValue,
    old_snapshot: Snapshot,
    new_snapshot: Snapshot,
}

impl Change {
    /// # Safety
    /// `raw` must be a difference of the two snapshots, and have this key.
    pub(crate) unsafe fn new(
        raw: &sys::remora_change,
        key: &str,
        old: Snapshot,
        new: Snapshot,
    ) -> Self {
        Self {
            kind: ChangeKind::from_raw(raw.kind),
            key: key.to_string(),
            old_value: RawValue(raw.old_value),
            new_value: RawValue(raw.new_value),
            old_snapshot: old,
            new_snapshot: new,
        }
    }

    /// Returns the kind of the change.
    pub fn kind(&self) -> ChangeKind {
        self.kind
    }

    /// Returns the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the value before the change; `None` if the key was created.
    pub fn old_value(&self) -> Option<Value<'_>> {
        // SAFETY: the value belongs to a snapshot that `self` keeps.
        unsafe { Value::present(self.old_value) }
    }

    /// Returns the value after the change; `None` if the key was deleted.
    pub fn new_value(&self) -> Option<Value<'_>> {
        // SAFETY: the value belongs to a snapshot that `self` keeps.
        unsafe { Value::present(self.new_value) }
    }

    /// Returns the snapshot before the change.
    pub fn old_snapshot(&self) -> &Snapshot {
        &self.old_snapshot
    }

    /// Returns the snapshot after the change.
    pub fn new_snapshot(&self) -> &Snapshot {
        &self.new_snapshot
    }
}

impl fmt::Debug for Change {
    /// Prints the kind and the key, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change")
            .field("kind", &self.kind)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Snapshot {
    /// Returns the changes from an older snapshot to this one, sorted by key. An equal value that
    /// is written differently in JSON is not a change. A change whose key cannot be read is left out:
    /// the stored file was damaged or changed while in use.
    ///
    /// Any thread; does not block, but compares every key.
    pub fn diff(&self, old: &Snapshot) -> Vec<Change> {
        let mut changes = Vec::new();
        walk(old, self, |change, key| {
            // SAFETY: the library reports a difference of these two.
            changes.push(unsafe { Change::new(change, key, old.clone(), self.clone()) });
            true
        });
        changes
    }

    /// Returns the change of one key; `None` if its value is the same.
    pub(crate) fn diff_key(&self, old: &Snapshot, key: &str) -> Option<Change> {
        let mut found = None;
        walk(old, self, |change, changed| {
            if changed != key {
                return true;
            }
            // SAFETY: the library reports a difference of these two.
            found = Some(unsafe { Change::new(change, key, old.clone(), self.clone()) });
            false
        });
        found
    }
}

/// Calls `visit` with the changes between two snapshots and their keys, until it returns false. Skips
/// keys that are not UTF-8.
fn walk(old: &Snapshot, new: &Snapshot, mut visit: impl FnMut(&sys::remora_change, &str) -> bool) {
    let visit = |change: &sys::remora_change| {
        // SAFETY: the key lives during the call.
        let key = unsafe { text_out(change.key, change.key_length) };
        key.map_or(true, |key| visit(change, key))
    };
    each(visit, |step, user_data| {
        let error = ptr::null_mut();
        // SAFETY: both snapshots live during the call; no argument is NULL, so that it cannot fail.
        unsafe { sys::remora_snapshot_diff(old.as_ptr(), new.as_ptr(), step, user_data, error) }
    });
}
