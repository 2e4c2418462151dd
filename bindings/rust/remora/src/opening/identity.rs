// SPDX-License-Identifier: Apache-2.0

//! The options that identify a source: a program and its installer must set the same values.
//!
//! Each kind of source has a structure of these options, and a macro with their methods, which the
//! builder of the source and its seed share.

use remora_sys as sys;

use crate::error::Result;
use crate::ffi::Texts;

/// The options that identify a source of one kind.
pub trait Identity {
    /// The C structure with all options of this kind of source.
    type Options;

    /// Returns the structure with these options and defaults. Valid as long as `texts`.
    fn options(&self, texts: &mut Texts) -> Result<Self::Options>;

    /// Sets the members of `seed` that name the source with these options. They refer to `options`, which must outlive
    /// `seed`.
    fn own(options: &Self::Options, seed: &mut sys::remora_seed_options);
}
