// SPDX-License-Identifier: Apache-2.0

//! Section "version" of `remora.h`.

use crate::*;

/// The major version of the header that these declarations follow.
pub const REMORA_VERSION_MAJOR: i32 = 0;

/// The minor version of that header.
pub const REMORA_VERSION_MINOR: i32 = 1;

/// The patch version of that header.
pub const REMORA_VERSION_PATCH: i32 = 0;

/// The version of that header, "major.minor.patch".
pub const REMORA_VERSION: &[u8; 6] = b"0.1.0\0";

extern "C" {
    /// Returns the version of the library that is running, "major.minor.patch".
    pub fn remora_version() -> *const c_char;

    /// Initialises a structure that begins with `struct_size`: zeroes it, which means defaults, and sets its size.
    pub fn remora_init(structure: *mut c_void, struct_size: usize);
}
