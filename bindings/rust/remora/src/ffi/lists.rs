// SPDX-License-Identifier: Apache-2.0

//! Lists of the library: arrays, and items that a call reports to a callback.

use std::os::raw::{c_char, c_void};
use std::slice;

use crate::error::Result;
use crate::ffi::{contain, copy_of};

/// A callback that receives an item and the user data. It returns nonzero to stop the iteration.
pub(crate) type Step<R> = Option<unsafe extern "C" fn(*const R, *mut c_void) -> i32>;

/// Calls `visit` with each item that `call` reports, until `visit` returns false.
///
/// `call` receives a callback with its user data, and calls a function that reports the items to it.
pub(crate) fn each<R, V: FnMut(&R) -> bool, T>(
    mut visit: V,
    call: impl FnOnce(Step<R>, *mut c_void) -> T,
) -> T {
    let user_data: *mut V = &mut visit;
    call(Some(step::<R, V>), user_data.cast())
}

/// Converts each item that `call` reports with `make`, and returns the results in a list.
pub(crate) fn collect<R, T>(
    make: impl Fn(&R) -> T,
    call: impl FnOnce(Step<R>, *mut c_void) -> Result<()>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    let add = |item: &R| {
        found.push(make(item));
        true
    };
    each(add, call).map(|()| found)
}

unsafe extern "C" fn step<R, V: FnMut(&R) -> bool>(item: *const R, user_data: *mut c_void) -> i32 {
    let mut goes_on = false;
    // SAFETY: `each` made the user data and waits, and the library calls this once at a time with an
    // item that lives during the call.
    contain(|| goes_on = unsafe { (*user_data.cast::<V>())(&*item) });
    i32::from(!goes_on)
}

/// Returns an array of pointers, which may be NULL if it is empty, as a slice of references.
///
/// # Safety
/// `start` must point to `count` pointers to items that live, unchanged, as long as `'a`.
pub(crate) unsafe fn slice_of_pointers<'a, R>(start: *const *const R, count: usize) -> &'a [&'a R] {
    match count {
        0 => &[],
        // SAFETY: guaranteed by the caller; a reference has the layout of a pointer.
        _ => unsafe { slice::from_raw_parts(start.cast(), count) },
    }
}

/// Copies the strings of an array that ends with NULL; `None` if the array is NULL.
///
/// # Safety
/// `start` must be NULL or point to such an array, whose strings end with a NUL.
pub(crate) unsafe fn copies_until_null(start: *const *const c_char) -> Option<Vec<String>> {
    if start.is_null() {
        return None;
    }
    // SAFETY: guaranteed by the caller; the array is read up to its NULL.
    let strings = (0..).map(|index| unsafe { *start.add(index) });
    let strings = strings.take_while(|string| !string.is_null());
    // SAFETY: guaranteed by the caller.
    Some(strings.map(|string| unsafe { copy_of(string) }).collect())
}
