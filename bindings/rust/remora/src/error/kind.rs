// SPDX-License-Identifier: Apache-2.0

//! The kinds of errors, and their families.

use remora_sys as sys;

use crate::open_enum::open_enum;

open_enum! {
    /// The kind of an error: one variant for each status of the library.
    ///
    /// `docs/errors.md` has advice for each kind.
    ErrorKind(remora_status_name) {
        /// An argument is malformed or out of range; the call had no effect.
        InvalidArgument = REMORA_ERR_INVALID_ARGUMENT,
        /// The key, member or element does not exist, or is null.
        NotFound = REMORA_ERR_NOT_FOUND,
        /// The value has another type, or cannot be converted exactly.
        WrongType = REMORA_ERR_WRONG_TYPE,
        /// The time limit of the call has expired.
        Timeout = REMORA_ERR_TIMEOUT,
        /// The call was cancelled by [`Request::cancel`](crate::Request::cancel) or by a reset.
        Cancelled = REMORA_ERR_CANCELLED,
        /// The client is closed.
        Closed = REMORA_ERR_CLOSED,
        /// Another call of [`Client::dispatch`](crate::Client::dispatch) is running.
        Busy = REMORA_ERR_BUSY,
        /// The connection failed or was lost, or a time limit of the client expired.
        Network = REMORA_ERR_NETWORK,
        /// The TLS handshake failed, or the server's certificate is not trusted.
        Tls = REMORA_ERR_TLS,
        /// The server returned an HTTP error; see [`Error::http_status`](crate::Error::http_status).
        Http = REMORA_ERR_HTTP,
        /// The response had too many redirects, or a redirect to an address that is not allowed.
        Redirect = REMORA_ERR_REDIRECT,
        /// A body, header or document exceeds its limit.
        TooLarge = REMORA_ERR_TOO_LARGE,
        /// libcurl or libcrypto cannot be loaded, no memory, thread or descriptor is left, or the
        /// library does not fit this crate.
        Unavailable = REMORA_ERR_UNAVAILABLE,
        /// The server asked clients to wait; see [`Error::retry_after`](crate::Error::retry_after).
        Backoff = REMORA_ERR_BACKOFF,
        /// The document is not JSON, or exceeds a limit (depth 64, 64-bit integers).
        Parse = REMORA_ERR_PARSE,
        /// The document is JSON, but does not have the form that the protocol requires.
        Format = REMORA_ERR_FORMAT,
        /// The server still offers the version that [`Source::reject`](crate::Source::reject) has
        /// rejected.
        Rejected = REMORA_ERR_REJECTED,
        /// The document violates the option `schema`, `min_keys`, `min_keys_percent` or
        /// `required_key`.
        Schema = REMORA_ERR_SCHEMA,
        /// The document has no `p384ecdsa` signature.
        SignatureMissing = REMORA_ERR_SIGNATURE_MISSING,
        /// The signature is not base64url, or not 96 bytes long.
        SignatureMalformed = REMORA_ERR_SIGNATURE_MALFORMED,
        /// The signature does not match the records and the timestamp.
        SignatureMismatch = REMORA_ERR_SIGNATURE_MISMATCH,
        /// The certificate chain does not consist of PEM certificates, or has too many of them.
        ChainMalformed = REMORA_ERR_CHAIN_MALFORMED,
        /// A signature, key usage or name constraint in the certificate chain is not valid.
        ChainInvalid = REMORA_ERR_CHAIN_INVALID,
        /// A certificate is expired or not yet valid.
        CertificateExpired = REMORA_ERR_CERTIFICATE_EXPIRED,
        /// The leaf certificate does not name the expected signer.
        CertificateSubject = REMORA_ERR_CERTIFICATE_SUBJECT,
        /// The root certificate is not the pinned one.
        RootMismatch = REMORA_ERR_ROOT_MISMATCH,
        /// The URL of the certificate chain is on a host that is not trusted.
        ChainLocation = REMORA_ERR_CHAIN_LOCATION,
        /// The size or the SHA-256 of an attachment differs from its record.
        AttachmentMismatch = REMORA_ERR_ATTACHMENT_MISMATCH,
        /// The document's timestamp is too far in the future.
        Future = REMORA_ERR_FUTURE,
        /// Different content was accepted before with the same timestamp.
        Equivocation = REMORA_ERR_EQUIVOCATION,
        /// A file system call failed; see [`Error::system_code`](crate::Error::system_code).
        Storage = REMORA_ERR_STORAGE,
        /// A file or directory is owned by another user, or writable for other users.
        Permission = REMORA_ERR_PERMISSION,
        /// A stored file is damaged, or was changed while in use.
        Corrupt = REMORA_ERR_CORRUPT,
        /// A bug in the library. Please report it.
        Internal = REMORA_ERR_INTERNAL,
    }
}

open_enum! {
    /// A group of kinds of errors. Most programs choose their reaction by the family.
    Family(remora_family_name) {
        /// The call is wrong or was cancelled, a value does not exist, a time limit expired, or the
        /// client is closed.
        Call = REMORA_FAMILY_CALL,
        /// No usable response arrived, or the server asked clients to wait. Try again later.
        Network = REMORA_FAMILY_NETWORK,
        /// The document cannot be used.
        Document = REMORA_FAMILY_DOCUMENT,
        /// The verification of a signature, certificate chain or hash failed.
        Trust = REMORA_FAMILY_TRUST,
        /// The document is genuine, but its timestamp is not acceptable.
        Freshness = REMORA_FAMILY_FRESHNESS,
        /// The storage directory cannot be used, or a stored file is damaged.
        Storage = REMORA_FAMILY_STORAGE,
        /// The system lacks memory, a thread or a library, or Remora has a bug.
        System = REMORA_FAMILY_SYSTEM,
    }
}

impl ErrorKind {
    /// Returns the family that this kind belongs to.
    ///
    /// ```
    /// use remora::{ErrorKind, Family};
    /// assert_eq!(ErrorKind::Tls.family(), Family::Network);
    /// ```
    pub fn family(self) -> Family {
        // SAFETY: the function accepts any number.
        Family::from_raw(unsafe { sys::remora_status_family(self.to_raw()) })
    }
}
