// SPDX-License-Identifier: Apache-2.0

//! A snapshot: one source at one version.

mod change;
mod info;
mod kind;
mod members;
mod positions;
mod read;
mod record;
mod records;
mod value;

pub use change::{Change, ChangeKind};
pub use info::{Origin, SnapshotInfo};
pub use kind::Kind;
pub use members::{Elements, Members};
pub use record::Record;
pub use records::{Fields, Records};
pub(crate) use value::RawValue;
pub use value::Value;

use std::fmt;
use std::ops::Range;
use std::ptr::{self, NonNull};

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::{text_out, written};
use positions::iterate_by_position;

/// One version of the data of a source. It never changes, and clones share it.
///
/// Values, keys and strings are borrowed from the snapshot, not copied. A snapshot stays readable
/// after its source and client are closed, and in a forked child. Reads do not block.
pub struct Snapshot(NonNull<sys::remora_snapshot>);

// SAFETY: a snapshot never changes, and its owners are counted atomically.
unsafe impl Send for Snapshot {}
// SAFETY: as above.
unsafe impl Sync for Snapshot {}

impl Clone for Snapshot {
    /// Adds a reference. Does not copy the data.
    fn clone(&self) -> Self {
        // SAFETY: the snapshot is alive; the library returns it.
        unsafe { sys::remora_snapshot_retain(self.as_ptr()) };
        Self(self.0)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // SAFETY: one ownership is ours, and this is its last use.
        unsafe { sys::remora_snapshot_release(self.0.as_ptr()) };
    }
}

impl Snapshot {
    /// Takes ownership; `None` for NULL.
    ///
    /// # Safety
    /// `raw` must be NULL, or a snapshot of which the caller passes one reference to this value.
    pub(crate) unsafe fn from_owned(raw: *mut sys::remora_snapshot) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    /// Adds a reference to a snapshot.
    ///
    /// # Safety
    /// `raw` must be a snapshot that has not been freed, and not NULL.
    pub(crate) unsafe fn from_borrowed(raw: *const sys::remora_snapshot) -> Self {
        // SAFETY: guaranteed by the caller; the library returns its argument.
        unsafe { Self(NonNull::new_unchecked(sys::remora_snapshot_retain(raw))) }
    }

    /// Returns the handle, which lives as long as `self`.
    pub(crate) fn as_ptr(&self) -> *const sys::remora_snapshot {
        self.0.as_ptr()
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        // SAFETY: the snapshot lives as long as `self`.
        unsafe { sys::remora_snapshot_count(self.as_ptr()) }
    }

    /// Returns whether the snapshot has no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a key, which may be null; `None` if the key does not exist.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "title": "Lunch"}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let title = snapshot.get("menu").and_then(|menu| menu.member("title")?.as_str());
    /// assert_eq!(title, Some("Lunch"));
    /// # Ok(()) }
    /// ```
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        let mut value = RawValue::EMPTY;
        // SAFETY: the snapshot lives as long as `self`, and the key has that length.
        let status = unsafe {
            let (start, length) = (key.as_ptr().cast(), key.len());
            sys::remora_snapshot_get_n(
                self.as_ptr(),
                start,
                length,
                ptr::null(),
                0,
                &mut value.0,
                ptr::null_mut(),
            )
        };
        // SAFETY: a value of this snapshot lives as long as `self`.
        (status == sys::REMORA_OK).then(|| unsafe { Value::new(value) })
    }

    /// Returns an iterator over keys and values, sorted by the bytes of the keys.
    ///
    /// The iterator ends early, and its length becomes 0, if the stored file was damaged or changed
    /// while in use, so that an entry or its key cannot be read. [`to_json`](Self::to_json) reports
    /// this.
    pub fn iter(&self) -> Entries<'_> {
        Entries {
            snapshot: self,
            rest: 0..self.len(),
        }
    }

    /// Returns the whole snapshot as one object in canonical JSON, the form that Remote Settings
    /// servers sign: keys sorted, no spaces, non-ASCII escaped, 0.75 as 7.5E-1.
    ///
    /// # Errors
    /// `Corrupt` (the stored file was damaged or changed while in use).
    pub fn to_json(&self) -> Result<String> {
        let (key, pointer) = (ptr::null(), ptr::null());
        // SAFETY: the snapshot lives as long as `self`, and the buffer has that size.
        written(|buffer, size, length, error| unsafe {
            sys::remora_snapshot_get_json(self.as_ptr(), key, pointer, buffer, size, length, error)
        })
    }

    /// Returns an entry; `None` if it cannot be read, or its key is not UTF-8.
    fn at(&self, index: usize) -> Option<(&str, Value<'_>)> {
        let (mut key, mut length, mut value) = (ptr::null(), 0, RawValue::EMPTY);
        // SAFETY: the snapshot lives as long as `self`.
        let status = unsafe {
            let (value, error) = (&mut value.0, ptr::null_mut());
            sys::remora_snapshot_item(self.as_ptr(), index, &mut key, &mut length, value, error)
        };
        if status != sys::REMORA_OK {
            return None;
        }
        // SAFETY: key and value of this snapshot live as long as `self`.
        unsafe { Some((text_out(key, length)?, Value::new(value))) }
    }
}

impl fmt::Debug for Snapshot {
    /// Prints the description of the snapshot, not the values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.info();
        f.debug_struct("Snapshot")
            .field("origin", &info.origin)
            .field("version", &info.version)
            .field("count", &info.count)
            .finish_non_exhaustive()
    }
}

/// An iterator over the keys and values of a snapshot; see [`Snapshot::iter`].
#[derive(Clone, Debug)]
pub struct Entries<'s> {
    snapshot: &'s Snapshot,
    rest: Range<usize>,
}

iterate_by_position!(Entries: (&'s str, Value<'s>), snapshot.at);

impl<'s> IntoIterator for &'s Snapshot {
    type Item = (&'s str, Value<'s>);
    type IntoIter = Entries<'s>;

    fn into_iter(self) -> Entries<'s> {
        self.iter()
    }
}
