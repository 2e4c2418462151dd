// SPDX-License-Identifier: Apache-2.0

//! The results of a sync.

use remora_sys as sys;

use crate::client::{Outcome, SourceKind};
use crate::error::{Error, Result};
use crate::ffi::{copy_of, slice_of_pointers};

/// The results of a sync. `total` is the sum of `updated`, `unchanged`, `staged` and `failed`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use = "sources may have failed"]
pub struct SyncReport {
    /// The number of `items`.
    pub total: usize,
    /// The number of sources of which a newer version became live.
    pub updated: usize,
    /// The number of sources for which the server has no newer version, or that `only_if_empty`
    /// skipped.
    pub unchanged: usize,
    /// The number of sources of which a newer version was staged.
    pub staged: usize,
    /// The number of sources that failed; their live data stays live.
    pub failed: usize,
    /// The result of each source with a server, in the order of opening.
    pub items: Vec<SyncItem>,
    error: Option<Error>,
}

/// The result of a sync for one source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyncItem {
    /// The name of the source, as in [`Attempt::source_name`](crate::Attempt::source_name).
    pub source_name: String,
    /// The server, as in [`SourceInfo::server`](crate::SourceInfo::server).
    pub server: String,
    /// The kind of the source.
    pub kind: SourceKind,
    /// The result that [`Source::refresh`](crate::Source::refresh) would have returned.
    pub result: Result<Outcome>,
}

impl SyncReport {
    /// Returns the first failure, with the counts in its message; `None` if no source failed.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// # Safety
    /// The library must have filled `raw`, whose pointers must be valid during the call.
    pub(crate) unsafe fn from_raw(raw: &sys::remora_sync_report) -> Self {
        // SAFETY: guaranteed by the caller; the array has this number of items.
        let items = unsafe { slice_of_pointers(raw.items, raw.item_count) };
        // SAFETY: guaranteed by the caller.
        let copy = |item: &&sys::remora_sync_item| unsafe { SyncItem::from_raw(item) };
        Self {
            total: raw.item_count,
            updated: raw.updated,
            unchanged: raw.unchanged,
            staged: raw.staged,
            failed: raw.failed,
            items: items.iter().map(copy).collect(),
            // SAFETY: guaranteed by the caller.
            error: unsafe { Error::from_nullable(raw.error) },
        }
    }
}

impl SyncItem {
    /// # Safety
    /// The pointers of `raw` must be valid during the call.
    unsafe fn from_raw(raw: &sys::remora_sync_item) -> Self {
        // SAFETY: guaranteed by the caller; the texts are never NULL, and the error may be.
        unsafe {
            Self {
                source_name: copy_of(raw.source_name),
                server: copy_of(raw.server),
                kind: SourceKind::from_raw(raw.kind),
                result: Error::result(raw.error).map(|()| Outcome::from_raw(raw.outcome)),
            }
        }
    }
}
