// SPDX-License-Identifier: Apache-2.0

//! The state of a source.

use std::mem;
use std::time::{Duration, SystemTime};

use remora_sys as sys;

use crate::client::{Client, SourceKind};
use crate::error::{check, Error, Result};
use crate::ffi::{collect, copy_of};
use crate::open_enum::open_enum;
use crate::snapshot::Origin;
use crate::source::Source;
use crate::time::{milliseconds, since_1970};

open_enum! {
    /// Whether the last successful refresh is recent enough; see
    /// [`ClientBuilder::max_stale`](crate::ClientBuilder::max_stale).
    Freshness(remora_freshness_name) {
        /// `max_stale` is not set, or the source is a bundle without a URL.
        Nothing = REMORA_FRESHNESS_NONE,
        /// No refresh has succeeded.
        Never = REMORA_FRESHNESS_NEVER,
        /// The last successful refresh of any process is at most `max_stale` ago.
        Fresh = REMORA_FRESHNESS_FRESH,
        /// The last successful refresh is more than `max_stale` ago, or more than a minute in the
        /// future.
        Stale = REMORA_FRESHNESS_STALE,
    }
}

/// The state of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceInfo {
    /// The name: of a collection, bucket and name, such as "main/regions"; otherwise the URL
    /// without query, followed by "#" and the tag of settings, or by a space and the name of a
    /// bundle.
    pub name: String,
    /// The base URL of a collection's server; otherwise the scheme, host and port of the URL; ""
    /// without a URL.
    pub server: String,
    /// The kind of the source.
    pub kind: SourceKind,
    /// The origin of the live snapshot.
    pub origin: Origin,
    /// The version of the live snapshot: a timestamp in ms since 1970, or a bundle's version; 0
    /// without data.
    pub version: i64,
    /// The time at which the live data was fetched; `None` if it was not fetched.
    pub fetched_at: Option<SystemTime>,
    /// The time of the last successful refresh by any process; `None` before the first.
    pub checked_at: Option<SystemTime>,
    /// The time since `checked_at`; `None` before the first successful refresh.
    pub checked_age: Option<Duration>,
    /// The time of the last refresh attempt by any process; `None` before the first.
    pub attempted_at: Option<SystemTime>,
    /// The remaining time of the server's backoff; `None` without a backoff.
    pub retry_after: Option<Duration>,
    /// A number that increases each time a version of the source is stored.
    pub generation: u64,
    /// Whether a newer version is staged.
    pub has_staged: bool,
    /// The number of records that are hidden because their filter could not be evaluated; see the log.
    pub filter_failures: usize,
    /// The failure of the last refresh; `None` if it succeeded.
    pub last_error: Option<Error>,
    /// The last failure to access a file of the source; `None` if a later access succeeded.
    pub storage_error: Option<Error>,
    /// Whether the last successful refresh is recent enough.
    pub freshness: Freshness,
    /// The newest version that [`Source::reject`] has rejected, in any process; `None` if no version
    /// was rejected.
    pub rejected_version: Option<i64>,
}

impl Source {
    /// Reads the state of the source.
    ///
    /// Any thread; blocks for reading a small file.
    ///
    /// # Errors
    /// `Closed`.
    pub fn info(&self) -> Result<SourceInfo> {
        // SAFETY: zero bytes are an info of numbers, NULLs and empty texts.
        let mut info: sys::remora_source_info = unsafe { mem::zeroed() };
        info.struct_size = mem::size_of_val(&info);
        // SAFETY: the source lives as long as `self`, and the info has the right size.
        check(|error| unsafe { sys::remora_source_get_info(self.as_ptr(), &mut info, error) })?;
        // SAFETY: the library has filled the info, whose texts live as long as the source.
        Ok(unsafe { SourceInfo::from_raw(&info) })
    }
}

impl Client {
    /// Returns the states of the open sources, in the order of opening, for status pages and tools. A
    /// source with several handles is listed once.
    ///
    /// Any thread; blocks for reading a small file for each source.
    ///
    /// # Errors
    /// `Closed`.
    pub fn sources(&self) -> Result<Vec<SourceInfo>> {
        self.handle.visit(|client| {
            // SAFETY: the pointers of an info are valid as long as the info.
            let copy = |raw: &_| unsafe { SourceInfo::from_raw(raw) };
            collect(copy, |step, user_data| {
                // SAFETY: the client lives during the visit.
                check(|error| unsafe { sys::remora_source_foreach(client, step, user_data, error) })
            })
        })
    }
}

impl SourceInfo {
    /// # Safety
    /// The library must have filled `info`, whose pointers must be valid during the call.
    unsafe fn from_raw(info: &sys::remora_source_info) -> Self {
        Self {
            // SAFETY: guaranteed by the caller; the texts are never NULL.
            name: unsafe { copy_of(info.name) },
            // SAFETY: as above.
            server: unsafe { copy_of(info.server) },
            kind: SourceKind::from_raw(info.kind),
            origin: Origin::from_raw(info.origin),
            version: info.version,
            fetched_at: since_1970(info.fetched_at_ms),
            checked_at: since_1970(info.checked_at_ms),
            checked_age: milliseconds(info.checked_age_ms),
            attempted_at: since_1970(info.attempted_at_ms),
            retry_after: milliseconds(info.retry_after_ms).filter(|time| !time.is_zero()),
            generation: info.generation,
            has_staged: info.has_staged != 0,
            filter_failures: usize::try_from(info.filter_failures).unwrap_or(0),
            // SAFETY: guaranteed by the caller.
            last_error: unsafe { Error::from_nullable(&info.last_error) },
            // SAFETY: as above.
            storage_error: unsafe { Error::from_nullable(&info.storage_error) },
            freshness: Freshness::from_raw(info.freshness),
            rejected_version: Some(info.rejected_version).filter(|&version| version != 0),
        }
    }
}
