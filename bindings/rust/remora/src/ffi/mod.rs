// SPDX-License-Identifier: Apache-2.0

//! Conversions between Rust and C: texts, structures and closures.

mod closures;
mod lists;
mod option_texts;
mod text;

pub(crate) use closures::{contain, Completion, Guarded, PanicSlot, UserData};
pub(crate) use lists::{collect, each, slice_of};
pub use option_texts::Texts;
pub(crate) use text::{copy_of, copy_out, fetch, text_out, with_option, with_place, with_text};

use std::mem;

/// A structure with its defaults.
///
/// # Safety
/// Zero bytes are a `T`, and `init` takes a `T` and its size.
pub(crate) unsafe fn defaults<T>(init: unsafe extern "C" fn(*mut T, usize)) -> T {
    // SAFETY: by the caller's word.
    unsafe {
        let mut made = mem::zeroed();
        init(&mut made, mem::size_of::<T>());
        made
    }
}
