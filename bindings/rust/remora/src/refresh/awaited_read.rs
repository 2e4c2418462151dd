// SPDX-License-Identifier: Apache-2.0

//! Typed reads on the result of a wait.

use crate::error::Result;
use crate::refresh::Awaited;
use crate::snapshot::{Elements, Members, Snapshot, Value};

/// The values of the snapshot, whether or not it is what was waited for: `None` if the value does
/// not exist, has another type, or there is no snapshot. `pointer` is `None` for the whole value,
/// or a JSON Pointer (RFC 6901) into it.
///
/// ```
/// # fn main() -> Result<(), remora::Error> {
/// use remora::Wait;
/// use std::time::Duration;
/// # let client = remora::Client::in_memory().build()?;
/// # let settings = client.settings("http://127.0.0.1:9/").fetch_at_open(false).open()?;
/// // The fresh value if it arrives within half a second, else the earlier one, else 3.
/// let editor = settings.tag("editor")?;
/// let awaited = editor.wait(Wait::Refreshed, Duration::from_millis(500));
/// let brush = awaited.get_int("brush", None).unwrap_or(3);
/// # assert_eq!(brush, 3);
/// # Ok(()) }
/// ```
impl Awaited {
    /// Returns a boolean. Any thread; does not block.
    pub fn get_bool<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<bool> {
        self.read(|snapshot| snapshot.get_bool(key, pointer))
    }

    /// Returns an integer, or a number that is exactly one. Any thread; does not block.
    pub fn get_int<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<i64> {
        self.read(|snapshot| snapshot.get_int(key, pointer))
    }

    /// Returns a number that is exactly a double. Any thread; does not block.
    pub fn get_double<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<f64> {
        self.read(|snapshot| snapshot.get_double(key, pointer))
    }

    /// Returns a string, which is not copied. Any thread; does not block.
    pub fn get_str<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<&str> {
        self.read(|snapshot| snapshot.get_str(key, pointer))
    }

    /// Returns an absolute URI of any scheme, which is not copied. Any thread; does not block.
    pub fn get_url<'p>(&self, key: &str, pointer: impl Into<Option<&'p str>>) -> Option<&str> {
        self.read(|snapshot| snapshot.get_url(key, pointer))
    }

    /// Returns a value of any type but null. Any thread; does not block.
    pub fn get_value<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Option<Value<'_>> {
        self.read(|snapshot| snapshot.get_value(key, pointer))
    }

    /// Returns the elements of an array. Any thread; does not block.
    pub fn get_array<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Option<Elements<'_>> {
        self.read(|snapshot| snapshot.get_array(key, pointer))
    }

    /// Returns the members of an object. Any thread; does not block.
    pub fn get_object<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
    ) -> Option<Members<'_>> {
        self.read(|snapshot| snapshot.get_object(key, pointer))
    }

    fn read<'s, T>(&'s self, read: impl FnOnce(&'s Snapshot) -> Result<T>) -> Option<T> {
        match self {
            Awaited::Ready(snapshot) | Awaited::Fallback(snapshot, _) => read(snapshot).ok(),
            Awaited::Failed(_) => None,
        }
    }
}
