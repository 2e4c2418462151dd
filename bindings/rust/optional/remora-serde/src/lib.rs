// SPDX-License-Identifier: Apache-2.0

//! Typed reads and overrides of [`remora`] with serde.
//!
//! ```
//! # fn main() -> Result<(), remora::Error> {
//! use remora_serde::SourceExt;
//!
//! # let data = r#"{"limits": {"per_day": 20}}"#;
//! # let client = remora::Client::in_memory().build()?;
//! # let source = client.settings(None).packaged_data(data).fetch_at_open(false).open()?;
//! #[derive(serde::Deserialize)]
//! struct Limits {
//!     per_day: u32,
//! }
//! let limits: Option<Limits> = source.get_as("limits", None);
//! assert_eq!(limits.map(|limits| limits.per_day), Some(20));
//! # Ok(()) }
//! ```
//!
//! | to | use |
//! |---|---|
//! | read a value of a source as a type | [`SourceExt::get_as`] |
//! | read a value of a snapshot, with the reason if it fails, or with borrowed strings | [`SnapshotExt::get_as`] |
//! | convert a value that you have already | [`from_value`] |
//! | set an override from a type | [`SourceExt::set_override_as`] |
//!
//! Values are converted by the rules of the library's reads. A double that is exactly a 64-bit
//! integer is read as an integer, and an integer is read as a floating-point number only if it is
//! exactly a double. Null is `None` or `()`. An enum is read from the name of a variant, or from an
//! object with one member; serde's attributes choose other forms.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod access;
mod error;
mod read;
mod value;

pub use error::{Error, Result};
pub use read::{from_value, SnapshotExt, SourceExt};

/// The program of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
