// SPDX-License-Identifier: Apache-2.0

//! The version of the library, and the check that it fits this crate.

use std::ffi::CStr;

use remora_sys as sys;

use crate::error::{Error, Result};

/// Returns the version of the library that is running, "major.minor.patch".
///
/// Any thread; does not block.
///
/// ```
/// assert!(remora::version().starts_with("0."));
/// ```
pub fn version() -> &'static str {
    // SAFETY: the function returns a constant text.
    unsafe { CStr::from_ptr(sys::remora_version()) }
        .to_str()
        .unwrap_or("unknown")
}

/// Checks that the library that is running fits this crate.
pub(super) fn require() -> Result<()> {
    require_version(version())
}

/// Checks that a library of this version has all functions that this crate calls: the same major
/// version, within which the ABI only grows, and the same minor version or a higher one.
fn require_version(version: &str) -> Result<()> {
    let mut parts = version.split('.').map(|part| part.parse().ok());
    let mut next = || parts.next().flatten().unwrap_or(-1);
    let (major, minor): (i32, i32) = (next(), next());
    if major == sys::REMORA_VERSION_MAJOR && minor >= sys::REMORA_VERSION_MINOR {
        return Ok(());
    }
    Err(Error::unavailable(format!(
        "libremora is version {version}; this program was built for {}.{}",
        sys::REMORA_VERSION_MAJOR,
        sys::REMORA_VERSION_MINOR
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn the_c_library_that_is_linked_has_an_accepted_version() {
        require().unwrap();
    }

    #[test]
    fn a_c_library_of_another_major_version_is_refused_and_the_error_names_its_version() {
        let error = require_version("7.1.0").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert!(error.message().contains("7.1.0"), "{error}");
    }

    #[test]
    fn an_older_or_malformed_c_library_version_is_refused_and_a_newer_minor_version_is_accepted() {
        assert!(require_version("0.0.9").is_err());
        assert!(require_version("").is_err());
        assert!(require_version("0").is_err());
        assert!(require_version("0.99.0").is_ok());
    }
}
