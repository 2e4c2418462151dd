// SPDX-License-Identifier: Apache-2.0

//! What an installer downloads.

use std::fmt;

use crate::bundle::Method;

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

/// Space and tab. A slice: Rust 1.63 cannot trim an array of characters from both ends.
const BLANKS: &[char] = &[' ', '\t'];

/// The headers of the library's lines "Name: value".
pub(crate) fn headers(lines: &str) -> Vec<(String, String)> {
    let pairs = lines.split('\n').filter_map(|line| line.split_once(':'));
    pairs
        .map(|(name, value)| (name.to_owned(), value.trim_matches(BLANKS).to_owned()))
        .collect()
}
