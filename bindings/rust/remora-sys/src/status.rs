// SPDX-License-Identifier: Apache-2.0

//! Section "status" of `remora.h`.

use crate::*;

/// Success.
pub const REMORA_OK: remora_status = 0;

/// An argument is `NULL` or malformed; nothing happened.
pub const REMORA_ERR_INVALID_ARGUMENT: remora_status = -1;

/// No such key, member or element, or it holds null.
pub const REMORA_ERR_NOT_FOUND: remora_status = -2;

/// The value is of another type, or does not convert exactly.
pub const REMORA_ERR_WRONG_TYPE: remora_status = -3;

/// The caller's own time limit ended first.
pub const REMORA_ERR_TIMEOUT: remora_status = -4;

/// Cancelled by `remora_request_cancel` or by a reset.
pub const REMORA_ERR_CANCELLED: remora_status = -5;

/// The client is closed.
pub const REMORA_ERR_CLOSED: remora_status = -6;

/// Another call of `remora_dispatch` is running for this client.
pub const REMORA_ERR_BUSY: remora_status = -7;

/// No connection, connection lost, or a transport time limit.
pub const REMORA_ERR_NETWORK: remora_status = -100;

/// The TLS handshake or the server's certificate failed.
pub const REMORA_ERR_TLS: remora_status = -101;

/// The server answered with an error; see `http_status`.
pub const REMORA_ERR_HTTP: remora_status = -102;

/// Too many redirects, or one to a place that is not allowed.
pub const REMORA_ERR_REDIRECT: remora_status = -103;

/// A body, header or document exceeds its limit.
pub const REMORA_ERR_TOO_LARGE: remora_status = -202;

/// No libcurl or libcrypto, or the system has no thread or descriptor left.
pub const REMORA_ERR_UNAVAILABLE: remora_status = -600;

/// The server asked to be left alone; see `retry_after_ms`.
pub const REMORA_ERR_BACKOFF: remora_status = -104;

/// Not JSON, or JSON beyond the limits (depth 64, 64-bit integers).
pub const REMORA_ERR_PARSE: remora_status = -200;

/// JSON, but not of the shape that the protocol prescribes.
pub const REMORA_ERR_FORMAT: remora_status = -201;

/// No signature of a known mode.
pub const REMORA_ERR_SIGNATURE_MISSING: remora_status = -300;

/// Not base64url, or not 96 bytes.
pub const REMORA_ERR_SIGNATURE_MALFORMED: remora_status = -301;

/// Records or timestamp are not what was signed.
pub const REMORA_ERR_SIGNATURE_MISMATCH: remora_status = -302;

/// The chain is not PEM certificates, or too many.
pub const REMORA_ERR_CHAIN_MALFORMED: remora_status = -303;

/// A link, a usage or a name constraint does not hold.
pub const REMORA_ERR_CHAIN_INVALID: remora_status = -304;

/// A certificate is expired or not yet valid.
pub const REMORA_ERR_CERTIFICATE_EXPIRED: remora_status = -306;

/// The leaf is not for the expected signer.
pub const REMORA_ERR_CERTIFICATE_SUBJECT: remora_status = -307;

/// The root is not the pinned one.
pub const REMORA_ERR_ROOT_MISMATCH: remora_status = -308;

/// The chain's URL (x5u) is on a host that is not trusted.
pub const REMORA_ERR_CHAIN_LOCATION: remora_status = -305;

/// Size or SHA-256 of an attachment differ from those in its record.
pub const REMORA_ERR_ATTACHMENT_MISMATCH: remora_status = -309;

/// Its timestamp is too far in the future.
pub const REMORA_ERR_FUTURE: remora_status = -400;

/// Other content under a timestamp already accepted.
pub const REMORA_ERR_EQUIVOCATION: remora_status = -401;

/// The operating system refused; the message has its words.
pub const REMORA_ERR_STORAGE: remora_status = -500;

/// A file or directory belongs to, or can be written by, others.
pub const REMORA_ERR_PERMISSION: remora_status = -501;

/// An image fails its checks.
pub const REMORA_ERR_CORRUPT: remora_status = -502;

/// A defect of the library. Please report it.
pub const REMORA_ERR_INTERNAL: remora_status = -601;

/// A family of codes.
pub type remora_family = i32;

/// The call is wrong, or what it was made on has ended.
pub const REMORA_FAMILY_CALL: remora_family = 0;

/// No usable answer arrived.
pub const REMORA_FAMILY_NETWORK: remora_family = 1;

/// The document cannot be used.
pub const REMORA_FAMILY_DOCUMENT: remora_family = 2;

/// A check of signature, chain or hash refused the document.
pub const REMORA_FAMILY_TRUST: remora_family = 3;

/// The document is genuine, but its timestamp is not acceptable.
pub const REMORA_FAMILY_FRESHNESS: remora_family = 4;

/// The storage directory cannot be used, or a stored file is damaged.
pub const REMORA_FAMILY_STORAGE: remora_family = 5;

/// The system lacks something, or Remora has a defect.
pub const REMORA_FAMILY_SYSTEM: remora_family = 6;

/// The result of a call: `REMORA_OK` or one of the negative REMORA_ERR_ codes.
pub type remora_status = i32;

/// Details of a failure, in memory of the caller's.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct remora_error {
    /// What the function returned.
    pub status: remora_status,
    /// The HTTP status, or 0 when there was none.
    pub http_status: i32,
    /// Milliseconds until a retry makes sense; 0 when unknown.
    pub retry_after_ms: i64,
    /// The name of the source; "" when the failure is not about one.
    pub source_name: [c_char; 112],
    /// A sentence that names the thing; UTF-8, NUL-terminated.
    pub message: [c_char; 384],
}

extern "C" {
    /// Returns the name of a status, such as "`REMORA_ERR_NOT_FOUND`".
    pub fn remora_status_name(status: remora_status) -> *const c_char;

    /// Returns the family of a status: `REMORA_FAMILY_…`, or a number that a later version has
    /// added.
    pub fn remora_status_family(status: remora_status) -> remora_family;
}
