// SPDX-License-Identifier: Apache-2.0

//! Conversions between Rust and C: texts, structures and closures.

mod closures;
mod lists;
mod option_texts;
mod text;

pub(crate) use closures::{contain, Completion, Guarded, PanicSlot, UserData};
pub(crate) use lists::{collect, copies_until_null, each, slice_of_pointers};
pub use option_texts::Texts;
pub(crate) use text::{copy_of, copy_out, fetch, text_out, written};
pub(crate) use text::{with_option, with_place, with_text};

use remora_sys as sys;
use std::mem;

/// Returns a structure of the library with its defaults, like `REMORA_INIT`.
///
/// # Safety
/// `T` must be a structure that begins with its size, and for which zero bytes are valid.
pub(crate) unsafe fn defaults<T>() -> T {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut made: T = mem::zeroed();
        sys::remora_init((&mut made as *mut T).cast(), mem::size_of::<T>());
        made
    }
}
