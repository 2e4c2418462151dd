// SPDX-License-Identifier: Apache-2.0

//! The description of a snapshot.

use std::mem;
use std::time::SystemTime;

use remora_sys as sys;

use crate::open_enum::open_enum;
use crate::snapshot::Snapshot;
use crate::time::since_1970;

open_enum! {
    /// The origin of a live value.
    Origin(remora_origin_name) {
        /// Nothing yet: never fetched, nothing packaged.
        Nothing = REMORA_ORIGIN_NONE,
        /// The default bundle that the host passed at open.
        Default = REMORA_ORIGIN_DEFAULT,
        /// Packaged data that the host passed at open.
        Packaged = REMORA_ORIGIN_PACKAGED,
        /// Read from storage: fetched by an earlier run.
        Cached = REMORA_ORIGIN_CACHED,
        /// Fetched in the life of this client, by this process or another.
        Fetched = REMORA_ORIGIN_FETCHED,
        /// Of a key only: all of its value, or a part, is an override.
        Override = REMORA_ORIGIN_OVERRIDE,
    }
}

/// The description of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// Its origin.
    pub origin: Origin,
    /// Whether a signature was verified for this data.
    pub verified: bool,
    /// A timestamp in ms since 1970, or a bundle's version; 0 without data.
    pub version: i64,
    /// When it was fetched.
    pub fetched_at: Option<SystemTime>,
    /// The number of keys.
    pub count: usize,
}

impl Snapshot {
    /// Returns the description of the snapshot. Any thread; does not block.
    pub fn info(&self) -> SnapshotInfo {
        // SAFETY: zero bytes are an info of numbers, that of an empty snapshot.
        let mut info: sys::remora_snapshot_info = unsafe { mem::zeroed() };
        info.struct_size = mem::size_of_val(&info);
        // SAFETY: the snapshot lives as long as `self`, and the info has that size; so no argument
        // is wrong, which is the only failure there is.
        unsafe { sys::remora_snapshot_get_info(self.as_ptr(), &mut info, std::ptr::null_mut()) };
        SnapshotInfo {
            origin: Origin::from_raw(info.origin),
            verified: info.verified != 0,
            version: info.version,
            fetched_at: since_1970(info.fetched_at_ms),
            count: info.count,
        }
    }
}
