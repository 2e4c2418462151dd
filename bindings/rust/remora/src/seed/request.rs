// SPDX-License-Identifier: Apache-2.0

//! The request with which an installer downloads data.

use std::fmt;
use std::os::raw::c_void;

use remora_sys as sys;

use crate::bundle::Method;
use crate::ffi::{contain, copies_until_null, copy_of};

/// The request with which an installer downloads data; see [`Seed::request`](crate::Seed::request).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeedRequest {
    /// The URL to download.
    pub url: String,
    /// The method of the request; a POST has an empty body.
    pub method: Method,
    /// The names and values of the headers, in order. A name may occur twice.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for SeedRequest {
    /// Prints the method only, because URL and headers may contain secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("SeedRequest");
        shown.field("method", &self.method).finish_non_exhaustive()
    }
}

/// Receives the request of `remora_seed_request`, and stores it where the user data point.
pub(super) unsafe extern "C" fn keep(raw: *const sys::remora_http_request, place: *mut c_void) {
    contain(|| {
        // SAFETY: the request and its texts live during the call; none of these texts is NULL.
        let (url, method, headers) = unsafe {
            let raw = &*raw;
            let headers = copies_until_null(raw.headers).unwrap_or_default();
            (copy_of(raw.url), copy_of(raw.method), headers)
        };
        let pairs = headers.iter().filter_map(|line| line.split_once(": "));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let is_post = method == "POST";
        let request = SeedRequest {
            url,
            method: if is_post { Method::Post } else { Method::Get },
            headers: pairs.map(owned).collect(),
        };
        // SAFETY: `request` passed the place, and is waiting.
        unsafe { *place.cast::<Option<SeedRequest>>() = Some(request) };
    });
}
