// SPDX-License-Identifier: Apache-2.0

//! Section "status" of `remora.h`.

use crate::*;

pub const REMORA_OK: remora_status = 0;
pub const REMORA_ERR_INVALID_ARGUMENT: remora_status = -700;
pub const REMORA_ERR_NOT_FOUND: remora_status = -701;
pub const REMORA_ERR_WRONG_TYPE: remora_status = -702;
pub const REMORA_ERR_TIMEOUT: remora_status = -703;
pub const REMORA_ERR_CANCELLED: remora_status = -704;
pub const REMORA_ERR_CLOSED: remora_status = -705;
pub const REMORA_ERR_BUSY: remora_status = -706;
pub const REMORA_ERR_NETWORK: remora_status = -100;
pub const REMORA_ERR_TLS: remora_status = -101;
pub const REMORA_ERR_HTTP: remora_status = -102;
pub const REMORA_ERR_REDIRECT: remora_status = -103;
pub const REMORA_ERR_TOO_LARGE: remora_status = -202;
pub const REMORA_ERR_UNAVAILABLE: remora_status = -600;
pub const REMORA_ERR_BACKOFF: remora_status = -104;
pub const REMORA_ERR_PARSE: remora_status = -200;
pub const REMORA_ERR_FORMAT: remora_status = -201;
pub const REMORA_ERR_REJECTED: remora_status = -203;
pub const REMORA_ERR_SCHEMA: remora_status = -204;
pub const REMORA_ERR_SIGNATURE_MISSING: remora_status = -300;
pub const REMORA_ERR_SIGNATURE_MALFORMED: remora_status = -301;
pub const REMORA_ERR_SIGNATURE_MISMATCH: remora_status = -302;
pub const REMORA_ERR_CHAIN_MALFORMED: remora_status = -303;
pub const REMORA_ERR_CHAIN_INVALID: remora_status = -304;
pub const REMORA_ERR_CERTIFICATE_EXPIRED: remora_status = -306;
pub const REMORA_ERR_CERTIFICATE_SUBJECT: remora_status = -307;
pub const REMORA_ERR_ROOT_MISMATCH: remora_status = -308;
pub const REMORA_ERR_CHAIN_LOCATION: remora_status = -305;
pub const REMORA_ERR_ATTACHMENT_MISMATCH: remora_status = -309;
pub const REMORA_ERR_FUTURE: remora_status = -400;
pub const REMORA_ERR_EQUIVOCATION: remora_status = -401;
pub const REMORA_ERR_STORAGE: remora_status = -500;
pub const REMORA_ERR_PERMISSION: remora_status = -501;
pub const REMORA_ERR_CORRUPT: remora_status = -502;
pub const REMORA_ERR_INTERNAL: remora_status = -601;

pub type remora_family = i32;

pub const REMORA_FAMILY_NONE: remora_family = 0;
pub const REMORA_FAMILY_NETWORK: remora_family = 1;
pub const REMORA_FAMILY_DOCUMENT: remora_family = 2;
pub const REMORA_FAMILY_TRUST: remora_family = 3;
pub const REMORA_FAMILY_FRESHNESS: remora_family = 4;
pub const REMORA_FAMILY_STORAGE: remora_family = 5;
pub const REMORA_FAMILY_SYSTEM: remora_family = 6;
pub const REMORA_FAMILY_CALL: remora_family = 7;

pub type remora_status = i32;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_error {
    pub status: remora_status,
    pub http_status: i32,
    pub retry_after_ms: i64,
    pub system_code: i32,
    pub reserved: [i32; 19],
    pub parameter: [c_char; 48],
    pub source_name: [c_char; 112],
    pub message: [c_char; 384],
}

extern "C" {
    pub fn remora_status_name(status: remora_status) -> *const c_char;
    pub fn remora_status_family(status: remora_status) -> remora_family;
    pub fn remora_family_name(family: remora_family) -> *const c_char;
}
