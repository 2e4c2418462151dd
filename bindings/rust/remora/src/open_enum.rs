// SPDX-License-Identifier: Apache-2.0

//! Enums of numbers that later versions of the library can extend.

/// Declares an enum over constants of `remora.h`, with `Unknown` for any other number. Its name
/// function in the library is in parentheses.
macro_rules! open_enum {
    ($(#[$about:meta])* $enum:ident($name:ident) {
        $($(#[$doc:meta])* $variant:ident = $constant:ident,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $enum {
            $($(#[$doc])* $variant,)+
            /// A number of a later version of the library.
            Unknown(i32),
        }

        impl $enum {
            pub(crate) fn from_raw(number: i32) -> Self {
                match number {
                    $(remora_sys::$constant => Self::$variant,)+
                    _ => Self::Unknown(number),
                }
            }

            pub(crate) fn to_raw(self) -> i32 {
                match self {
                    $(Self::$variant => remora_sys::$constant,)+
                    Self::Unknown(number) => number,
                }
            }
        }

        /// Writes the name that log lines and the command line tool use.
        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                // SAFETY: the function accepts any number, and returns a constant string.
                let name = unsafe { std::ffi::CStr::from_ptr(remora_sys::$name(self.to_raw())) };
                f.pad(&name.to_string_lossy())
            }
        }
    };
}

pub(crate) use open_enum;
