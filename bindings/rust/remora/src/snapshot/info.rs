// SPDX-License-Identifier: Apache-2.0

//! The description of a snapshot.

use std::mem;
use std::time::SystemTime;

use remora_sys as sys;

use crate::open_enum::open_enum;
use crate::snapshot::Snapshot;
use crate::time::since_1970;

open_enum! {
    /// The origin of data.
    Origin(remora_origin_name) {
        /// The source has no data: nothing was fetched or packaged.
        Nothing = REMORA_ORIGIN_NONE,
        /// The default bundle, which was passed at open.
        Default = REMORA_ORIGIN_DEFAULT,
        /// Packaged data, which was passed at open.
        Packaged = REMORA_ORIGIN_PACKAGED,
        /// Stored data of an earlier client, or a seed.
        Cached = REMORA_ORIGIN_CACHED,
        /// Data that any process has fetched or confirmed since the client was created.
        Fetched = REMORA_ORIGIN_FETCHED,
        /// For a key only: its value, or a part of it, is an override.
        Override = REMORA_ORIGIN_OVERRIDE,
    }
}

/// The description of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// The origin of the data.
    pub origin: Origin,
    /// Whether a signature was verified for this data.
    pub verified: bool,
    /// The version: a timestamp in ms since 1970, or a bundle's version; 0 without data.
    pub version: i64,
    /// The time at which the data was fetched; `None` if it was not fetched.
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
        // SAFETY: the snapshot lives as long as `self`, and the info has the right size. The function
        // fails only for a wrong argument.
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
