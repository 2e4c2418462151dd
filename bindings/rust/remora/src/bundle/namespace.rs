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
    /// Whether the live bundle contains the namespace. If not, an earlier bundle contained it, or
    /// an override has created the namespace.
    pub in_bundle: bool,
    /// Whether this is the first namespace of the default bundle.
    pub is_default: bool,
    /// The origin of the value, as [`Snapshot::origin_of`] returns it.
    pub origin: Origin,
}

impl Source {
    /// Returns the namespaces of a snapshot of this bundle, except those that the bundle removes.
    /// First come those that the bundle lists, in its order, then those that an earlier bundle
    /// listed or an override created, sorted by name. `None` means the live snapshot. Does not
    /// block.
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
    /// Returns the namespaces of the bundle in [`new_snapshot`](Self::new_snapshot); see
    /// [`Source::namespaces`]. Does not block.
    ///
    /// # Errors
    /// `InvalidArgument` (the source is not a bundle), `Closed` (the client was closed meanwhile).
    pub fn namespaces(&self) -> Result<Vec<Namespace>> {
        let raw = self.raw();
        // SAFETY: the library keeps the memory of the handle during the call, also after its close.
        unsafe { list(raw.source, raw.new_snapshot) }
    }
}

/// # Safety
/// `source` and `snapshot` must live during the call. A NULL snapshot is the live one.
unsafe fn list(
    source: *mut sys::remora_source,
    snapshot: *const sys::remora_snapshot,
) -> Result<Vec<Namespace>> {
    // SAFETY: the texts of an entry live as long as the entry.
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
    /// The pointers of `raw` must be valid during the call.
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
