// SPDX-License-Identifier: Apache-2.0

//! What an installer downloads.

use std::fmt;
use std::os::raw::c_void;

use remora_sys as sys;

use crate::bundle::Method;
use crate::ffi::{contain, copies_until_null, copy_of};

/// What an installer downloads; see [`Seed::request`](crate::Seed::request).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeedRequest {
    /// Where it is.
    pub url: String,
    /// The method of the request; a POST has an empty body.
    pub method: Method,
    /// Names and values of what to send, in order; a name may occur twice.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for SeedRequest {
    /// Without URL and headers, which may hold secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("SeedRequest");
        shown.field("method", &self.method).finish_non_exhaustive()
    }
}

/// Called inside of `remora_seed_request`; the user data is the place for the request.
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
        // SAFETY: `request` passed the place, and waits.
        unsafe { *place.cast::<Option<SeedRequest>>() = Some(request) };
    });
}
