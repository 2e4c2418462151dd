// SPDX-License-Identifier: Apache-2.0

//! The types of values.

use crate::open_enum::open_enum;

open_enum! {
    /// The type of a [`Value`](crate::Value).
    Kind(remora_type_name) {
        /// JSON null.
        Null = REMORA_TYPE_NULL,
        /// A boolean.
        Bool = REMORA_TYPE_BOOL,
        /// A 64-bit integer.
        Int = REMORA_TYPE_INT,
        /// A double.
        Double = REMORA_TYPE_DOUBLE,
        /// A string.
        String = REMORA_TYPE_STRING,
        /// An array.
        Array = REMORA_TYPE_ARRAY,
        /// An object.
        Object = REMORA_TYPE_OBJECT,
    }
}
