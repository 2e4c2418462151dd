// SPDX-License-Identifier: Apache-2.0

//! Structures of the library's, filled by it.

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
