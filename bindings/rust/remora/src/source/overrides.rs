// SPDX-License-Identifier: Apache-2.0

//! Values of the host's own, over what is fetched.

use remora_sys as sys;

use crate::error::{check, Result};
use crate::ffi::{collect, copy_out, with_place, with_text};
use crate::snapshot::{Origin, Snapshot};
use crate::source::Source;

/// One override of a source; see [`Source::overrides`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Override {
    /// The key that it is in.
    pub key: String,
    /// The JSON Pointer to its place in the value; empty is the whole value.
    pub pointer: String,
    /// Its value, as canonical JSON text.
    pub json: String,
}

/// `pointer` is `None` for the whole value, or a JSON Pointer (RFC 6901) into it. The repository's
/// `docs/overrides.md` has the rules.
impl Source {
    /// Sets a value that wins over every other until it is cleared: over the live data, and over
    /// later fetched versions; a reset leaves it.
    ///
    /// Missing parents are created: the key, and objects. It replaces the override at the same
    /// place and those below it. When it returns the value is live; subscribers are notified of the
    /// changes, cause [`Override`](crate::Cause::Override). It ends with the source, unless
    /// [`persist_overrides`](crate::CollectionBuilder::persist_overrides) is set.
    ///
    /// Any thread, including in a closure. Blocks for the job of the engine thread that is running;
    /// to be stored also for file system calls, and at most 5 s for another client or process that
    /// stores its overrides of the source.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// source.set_override("uploads", "/per_day", "50")?;
    /// assert_eq!(source.get_int("uploads", "/per_day"), Some(50));
    /// source.clear_override("uploads", None)?;
    /// assert_eq!(source.get_int("uploads", "/per_day"), None);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (no key, no pointer, no JSON, or beyond a limit), `WrongType` (a parent is
    /// not an object; the message has its place), `TooLarge` (more than 10,000 overrides),
    /// `Closed`; nothing was changed. A storage failure is not an error: see
    /// [`SourceInfo::storage_error`](crate::SourceInfo).
    pub fn set_override<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        json: &str,
    ) -> Result<()> {
        self.set_override_by(0, key, pointer.into(), json)
    }

    /// Sets an override as [`set_override`](Self::set_override), but only if the source has data for
    /// the key.
    ///
    /// Use it at start-up for values that belong to a key of the server's. A missing key is not
    /// created, and a namespace that a bundle has removed is not restored. A key that consists of
    /// overrides only, such as stored ones, counts as missing. No other change becomes live between
    /// the check and the override.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// # let source = client.collection("limits").open()?;
    /// let error = source.set_override_if_exists("uploads", "/per_day", "50").unwrap_err();
    /// assert_eq!(error.kind(), remora::ErrorKind::NotFound);
    /// assert!(source.overrides()?.is_empty());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `NotFound` (the live snapshot has no data for the key; nothing was changed), and those of
    /// [`set_override`](Self::set_override).
    pub fn set_override_if_exists<'p>(
        &self,
        key: &str,
        pointer: impl Into<Option<&'p str>>,
        json: &str,
    ) -> Result<()> {
        self.set_override_by(sys::REMORA_OVERRIDE_IF_EXISTS, key, pointer.into(), json)
    }

    fn set_override_by(
        &self,
        flags: u32,
        key: &str,
        pointer: Option<&str>,
        json: &str,
    ) -> Result<()> {
        with_place(key, pointer, |key, pointer| {
            with_text(json, "json", |json| {
                // SAFETY: the source lives as long as `self`, the texts during the call.
                check(|error| unsafe {
                    sys::remora_override_set(self.as_ptr(), key, pointer, json, flags, error)
                })
            })
        })
    }

    /// Clears the override at a place and those below it; without a pointer, all of a key. The
    /// values below them are live again. Blocks as [`set_override`](Self::set_override).
    ///
    /// # Errors
    /// `NotFound` (there is none), `InvalidArgument`, `Closed`.
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

    /// Returns the overrides of this moment, in the order of the bytes of key and pointer. Does not
    /// block.
    ///
    /// # Errors
    /// `Closed`.
    pub fn overrides(&self) -> Result<Vec<Override>> {
        // SAFETY: what an entry points to lives as long as the entry.
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
    /// What it points to lives during the call.
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
    /// Returns the origin of the value of a key: [`Origin::Override`] when any part of it is one,
    /// else the origin of the snapshot. `None` if the key does not exist. Does not block.
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
