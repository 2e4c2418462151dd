// SPDX-License-Identifier: Apache-2.0

//! Section "explain" of `remora.h`.

use crate::*;

pub const REMORA_EXPLAIN_TEXT: u32 = 1;

extern "C" {
    pub fn remora_explain(
        source: *mut remora_source,
        key: *const c_char,
        pointer: *const c_char,
        flags: u32,
        buffer: *mut c_char,
        size: usize,
        out_length: *mut usize,
        error: *mut remora_error,
    ) -> remora_status;
}
