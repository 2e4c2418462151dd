// SPDX-License-Identifier: Apache-2.0

//! The namespaces of a bundle.

use std::ptr;

use remora_sys as sys;

use crate::error::{check, Result};
use crate::events::Event;
use crate::ffi::{collect, copy_out};
use crate::snapshot::{Origin, Snapshot};
use crate::source::Source;

/// A namespace of a bundle; see [`Source::namespaces`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Namespace {
    /// The name, which is a key of the source.
    pub name: String,
    /// Whether the live bundle contains it. Otherwise it was kept from an earlier bundle, or created
    /// by an override.
    pub in_bundle: bool,
    /// Whether it is the first one of the default bundle.
    pub is_default: bool,
    /// The origin of its value, as [`Snapshot::origin_of`] returns it.
    pub origin: Origin,
}

impl Source {
    /// Returns the active namespaces of a bundle: first those of the bundle in its order, then
    /// those that were carried over or made by an override, by their bytes. Does not block.
    ///
    /// Of a snapshot of this source, such as an event's; `None` is the live one.
    ///
    /// ```
    /// # fn main() -> Result<(), remora::Error> {
    /// # let client = remora::Client::in_memory().build()?;
    /// let source = client
    ///     .bundle(None)
    ///     .default_bundle(r#"[{"namespace": "app", "networkConfiguration": {"endpoint": "https://c.example"}}]"#)
    ///     .open()?;
    /// let namespaces = source.namespaces(None)?;
    /// assert_eq!(namespaces[0].name, "app");
    /// assert!(namespaces[0].in_bundle && namespaces[0].is_default);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` (the source is not a bundle), `Closed`.
    pub fn namespaces<'s>(
        &self,
        snapshot: impl Into<Option<&'s Snapshot>>,
    ) -> Result<Vec<Namespace>> {
        let snapshot = snapshot.into().map_or(ptr::null(), Snapshot::as_ptr);
        // SAFETY: source and snapshot live during the call.
        unsafe { list(self.as_ptr(), snapshot) }
    }
}

impl Event<'_> {
    /// Returns the active namespaces of the bundle as of [`new_snapshot`](Self::new_snapshot); see
    /// [`Source::namespaces`]. Does not block.
    ///
    /// # Errors
    /// `InvalidArgument` (the source is not a bundle), `Closed` (by this closure, or meanwhile).
    pub fn namespaces(&self) -> Result<Vec<Namespace>> {
        let raw = self.raw();
        // SAFETY: the library keeps the memory of the handle during the call, also after its close.
        unsafe { list(raw.source, raw.new_snapshot) }
    }
}

/// # Safety
/// Source and snapshot live during the call; a snapshot of NULL is the live one.
unsafe fn list(
    source: *mut sys::remora_source,
    snapshot: *const sys::remora_snapshot,
) -> Result<Vec<Namespace>> {
    // SAFETY: what an entry points to lives as long as the entry.
    let copy = |raw: &_| unsafe { Namespace::from_raw(raw) };
    collect(copy, |step, user_data| {
        // SAFETY: guaranteed by the caller.
        check(|error| unsafe {
            sys::remora_namespace_foreach(source, snapshot, step, user_data, error)
        })
    })
}

impl Namespace {
    /// # Safety
    /// What it points to lives during the call.
    unsafe fn from_raw(raw: &sys::remora_namespace) -> Self {
        Self {
            // SAFETY: guaranteed by the caller, and the name has this length.
            name: unsafe { copy_out(raw.name, raw.name_length) },
            in_bundle: raw.in_bundle != 0,
            is_default: raw.is_default != 0,
            origin: Origin::from_raw(raw.origin),
        }
    }
}
