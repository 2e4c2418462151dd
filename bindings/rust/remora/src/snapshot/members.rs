// SPDX-License-Identifier: Apache-2.0

//! The elements of an array and the members of an object.

use std::ops::Range;
use std::ptr;

use remora_sys as sys;

use crate::ffi::text_out;
use crate::snapshot::positions::iterate_by_position;
use crate::snapshot::{Kind, RawValue, Value};

impl<'s> Value<'s> {
    /// Returns the elements of an array; empty for any other value. A damaged file ends the iterator
    /// early, as that of [`Snapshot::iter`](crate::Snapshot::iter).
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let data = r#"{"data": [{"id": "menu", "last_modified": 1, "sizes": [1, 2, 3]}], "timestamp": 1}"#;
    /// # let client = remora::Client::in_memory().build()?;
    /// # let snapshot = client.collection("ui").packaged_data(data).open()?.snapshot()?;
    /// let sizes = snapshot.get("menu").and_then(|menu| menu.member("sizes"));
    /// let sum: i64 = sizes.iter().flat_map(|sizes| sizes.elements()).flat_map(|n| n.as_i64()).sum();
    /// assert_eq!(sum, 6);
    /// # Ok(()) }
    /// ```
    pub fn elements(self) -> Elements<'s> {
        Elements {
            array: self,
            rest: self.positions(Kind::Array),
        }
    }

    /// Returns the members of an object, sorted by the bytes of their names; empty otherwise. A
    /// damaged file ends the iterator early, as that of [`Snapshot::iter`](crate::Snapshot::iter).
    pub fn members(self) -> Members<'s> {
        Members {
            object: self,
            rest: self.positions(Kind::Object),
        }
    }

    fn positions(self, kind: Kind) -> Range<usize> {
        0..if self.kind() == kind { self.len() } else { 0 }
    }

    /// Returns a member; `None` if it cannot be read, or its name is not UTF-8.
    fn member_at(self, index: usize) -> Option<(&'s str, Value<'s>)> {
        let (mut name, mut length, mut value) = (ptr::null(), 0, RawValue::EMPTY);
        // SAFETY: the value lives as long as `'s`.
        let status = unsafe {
            let (value, error) = (&mut value.0, ptr::null_mut());
            sys::remora_value_item(self.raw(), index, &mut name, &mut length, value, error)
        };
        if status != sys::REMORA_OK {
            return None;
        }
        // SAFETY: the parts of a value live as long as the value.
        unsafe { Some((text_out(name, length)?, Value::new(value))) }
    }
}

/// The elements of an array; see [`Value::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'s> {
    array: Value<'s>,
    rest: Range<usize>,
}

/// The members of an object; see [`Value::members`].
#[derive(Clone, Debug)]
pub struct Members<'s> {
    object: Value<'s>,
    rest: Range<usize>,
}

iterate_by_position!(Elements: Value<'s>, array.element);
iterate_by_position!(Members: (&'s str, Value<'s>), object.member_at);
