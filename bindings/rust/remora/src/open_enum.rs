// SPDX-License-Identifier: Apache-2.0

//! Enums of numbers that the library may extend: what is not known stays the number it is.

/// Declares an enum over constants of `remora.h`, with `Unknown` for any other number.
macro_rules! open_enum {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $constant:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)+
            /// A number that this crate does not know, of a newer library.
            Unknown(i32),
        }

        impl $name {
            pub(crate) fn from_raw(number: i32) -> Self {
                match number {
                    $(remora_sys::$constant => Self::$variant,)+
                    _ => Self::Unknown(number),
                }
            }
        }
    };
}

pub(crate) use open_enum;
