// SPDX-License-Identifier: Apache-2.0

//! What makes up the identity of a source: the options that a program and its installer must set
//! alike.
//!
//! Each kind has a set of them, and a macro of their methods, which the builder of a source and its
//! seed have alike.

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::Texts;

/// The options that make up the identity of one kind of source.
pub trait Identity {
    /// All options of that kind, as the library takes them.
    type Options;

    /// The defaults with these options in them; they are good for as long as `texts`.
    fn options(&self, texts: &mut Texts) -> Result<Self::Options>;

    /// Makes a seed that of such a source; it is good for as long as `options`.
    fn own(options: &Self::Options, seed: &mut sys::remora_seed_options);
}
