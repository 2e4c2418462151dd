// SPDX-License-Identifier: Apache-2.0

//! Section "bundles" of `remora.h`.

use crate::*;

pub const REMORA_METHOD_GET: i32 = 0;
pub const REMORA_METHOD_POST: i32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_bundle_options {
    pub struct_size: usize,
    pub url: *const c_char,
    pub name: *const c_char,
    pub accepted_schema: *const c_char,
    pub method: i32,
    pub activation: i32,
    pub default_bundle: *const c_char,
    pub default_version: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_namespace {
    pub struct_size: usize,
    pub name: *const c_char,
    pub name_length: usize,
    pub in_bundle: i32,
    pub is_default: i32,
    pub origin: i32,
    pub has_override: i32,
}

pub type remora_namespace_visitor =
    Option<unsafe extern "C" fn(entry: *const remora_namespace, user_data: *mut c_void) -> i32>;

extern "C" {
    pub fn remora_open_bundle(
        client: *mut remora_client,
        bundle: *const remora_bundle_options,
        options: *const remora_source_options,
        out_source: *mut *mut remora_source,
        error: *mut remora_error,
    ) -> remora_status;
    pub fn remora_namespace_foreach(
        source: *mut remora_source,
        snapshot: *const remora_snapshot,
        visitor: remora_namespace_visitor,
        user_data: *mut c_void,
        error: *mut remora_error,
    ) -> remora_status;
}
