// SPDX-License-Identifier: Apache-2.0

//! The state of a source.

use std::mem;
use std::time::{Duration, SystemTime};

use remora_sys as sys;

use crate::error::{check, Error, Result};
use crate::snapshot::Origin;
use crate::source::Source;
use crate::time::{milliseconds, since_1970};

/// The state of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceInfo {
    /// Where the live snapshot comes from.
    pub origin: Origin,
    /// The version of the live snapshot: a timestamp in ms since 1970, or a bundle's
    /// version; 0 when there is none.
    pub version: i64,
    /// When its data was fetched.
    pub fetched_at: Option<SystemTime>,
    /// The time since the last successful refresh by anyone.
    pub age: Option<Duration>,
    /// When that was.
    pub last_success: Option<SystemTime>,
    /// The last attempt of anyone.
    pub last_attempt: Option<SystemTime>,
    /// The remaining time of the server's backoff.
    pub retry_after: Option<Duration>,
    /// Grows with every stored image of this source.
    pub generation: u64,
    /// Whether something newer is staged, and waits for its activation.
    pub pending: bool,
    /// Records that are hidden because their filter fails; the log names one of each.
    pub filter_failures: usize,
    /// Why the last refresh failed, if it did.
    pub last_error: Option<Error>,
    /// The last failure of storage or cache, until one succeeds.
    pub storage_error: Option<Error>,
}

impl Source {
    /// Tells the state of the source.
    ///
    /// Any thread; blocks for reading a small file.
    ///
    /// # Errors
    /// `Closed`.
    pub fn info(&self) -> Result<SourceInfo> {
        // SAFETY: zero bytes are an info of numbers and empty texts.
        let mut info: sys::remora_source_info = unsafe { mem::zeroed() };
        info.struct_size = mem::size_of_val(&info);
        // SAFETY: the source lives as long as `self`, and the info has that size.
        check(|error| unsafe { sys::remora_source_get_info(self.as_ptr(), &mut info, error) })?;
        Ok(SourceInfo {
            origin: Origin::from_raw(info.origin),
            version: info.version,
            fetched_at: since_1970(info.fetched_at_ms),
            age: milliseconds(info.age_ms),
            last_success: since_1970(info.last_success_ms),
            last_attempt: since_1970(info.last_attempt_ms),
            retry_after: milliseconds(info.retry_after_ms).filter(|time| !time.is_zero()),
            generation: info.generation,
            pending: info.pending != 0,
            filter_failures: usize::try_from(info.filter_failures).unwrap_or(0),
            // SAFETY: the library has filled both.
            last_error: unsafe { Error::from_nullable(&info.last_error) },
            // SAFETY: as above.
            storage_error: unsafe { Error::from_nullable(&info.storage_error) },
        })
    }
}
