// SPDX-License-Identifier: Apache-2.0

//! What went wrong, as one word per status of the library.

use remora_sys as sys;

use crate::open_enum::open_enum;

open_enum! {
    /// What went wrong: one variant per status of the library.
    ///
    /// `docs/errors.md` describes what to do about each.
    ErrorKind {
        /// An argument is malformed; nothing happened.
        InvalidArgument = REMORA_ERR_INVALID_ARGUMENT,
        /// No such key, member or element, or it holds null.
        NotFound = REMORA_ERR_NOT_FOUND,
        /// The value is of another type, or does not convert exactly.
        WrongType = REMORA_ERR_WRONG_TYPE,
        /// The caller's own time limit ended first.
        Timeout = REMORA_ERR_TIMEOUT,
        /// Cancelled by [`Request::cancel`](crate::Request::cancel) or by a reset.
        Cancelled = REMORA_ERR_CANCELLED,
        /// The client is closed.
        Closed = REMORA_ERR_CLOSED,
        /// Another call of [`Client::dispatch`](crate::Client::dispatch) is running.
        Busy = REMORA_ERR_BUSY,
        /// No connection, connection lost, or a transport time limit.
        Network = REMORA_ERR_NETWORK,
        /// The TLS handshake or the server's certificate failed.
        Tls = REMORA_ERR_TLS,
        /// The server answered with an error; see [`Error::http_status`](crate::Error::http_status).
        Http = REMORA_ERR_HTTP,
        /// Too many redirects, or one to a place that is not allowed.
        Redirect = REMORA_ERR_REDIRECT,
        /// A body, header or document exceeds its limit.
        TooLarge = REMORA_ERR_TOO_LARGE,
        /// No libcurl or libcrypto, no thread or descriptor, or a library too old for this crate.
        Unavailable = REMORA_ERR_UNAVAILABLE,
        /// The server asked to be left alone; see [`Error::retry_after`](crate::Error::retry_after).
        Backoff = REMORA_ERR_BACKOFF,
        /// Not JSON, or JSON beyond the limits (depth 64, 64-bit integers).
        Parse = REMORA_ERR_PARSE,
        /// JSON, but not of the shape that the protocol prescribes.
        Format = REMORA_ERR_FORMAT,
        /// No signature of a known mode.
        SignatureMissing = REMORA_ERR_SIGNATURE_MISSING,
        /// The signature is not base64url, or not 96 bytes.
        SignatureMalformed = REMORA_ERR_SIGNATURE_MALFORMED,
        /// Records or timestamp are not what was signed.
        SignatureMismatch = REMORA_ERR_SIGNATURE_MISMATCH,
        /// The chain is not PEM certificates, or too many.
        ChainMalformed = REMORA_ERR_CHAIN_MALFORMED,
        /// A link, a usage or a name constraint of the chain does not hold.
        ChainInvalid = REMORA_ERR_CHAIN_INVALID,
        /// A certificate is expired or not yet valid.
        CertificateExpired = REMORA_ERR_CERTIFICATE_EXPIRED,
        /// The leaf certificate is not for the expected signer.
        CertificateSubject = REMORA_ERR_CERTIFICATE_SUBJECT,
        /// The root certificate is not the pinned one.
        RootMismatch = REMORA_ERR_ROOT_MISMATCH,
        /// The chain's URL is on a host that is not trusted.
        ChainLocation = REMORA_ERR_CHAIN_LOCATION,
        /// Size or SHA-256 of an attachment differ from those in its record.
        AttachmentMismatch = REMORA_ERR_ATTACHMENT_MISMATCH,
        /// The document's timestamp is too far in the future.
        Future = REMORA_ERR_FUTURE,
        /// Other content under a timestamp already accepted.
        Equivocation = REMORA_ERR_EQUIVOCATION,
        /// The operating system refused; the message has its words.
        Storage = REMORA_ERR_STORAGE,
        /// A file or directory belongs to, or can be written by, others.
        Permission = REMORA_ERR_PERMISSION,
        /// A stored image fails its checks.
        Corrupt = REMORA_ERR_CORRUPT,
        /// A defect of the library. Please report it.
        Internal = REMORA_ERR_INTERNAL,
    }
}

/// What an error is about; a host often needs to know no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// The call is wrong, or what it was made on has ended.
    Call,
    /// No usable answer arrived, or the server asked for a pause. Try again later.
    Network,
    /// The document cannot be used.
    Document,
    /// A check of signature, chain or hash refused the document.
    Trust,
    /// The document is genuine, but its timestamp is not acceptable.
    Freshness,
    /// The storage directory cannot be used, or a stored file is damaged.
    Storage,
    /// The system lacks something, or the library has a defect.
    System,
    /// A family that this crate does not know, of a newer library.
    Unknown,
}

impl Family {
    /// The family of a status that this crate does not know.
    fn of(status: i32) -> Self {
        // SAFETY: takes any number.
        match unsafe { sys::remora_status_family(status) } {
            sys::REMORA_FAMILY_CALL => Family::Call,
            sys::REMORA_FAMILY_NETWORK => Family::Network,
            sys::REMORA_FAMILY_DOCUMENT => Family::Document,
            sys::REMORA_FAMILY_TRUST => Family::Trust,
            sys::REMORA_FAMILY_FRESHNESS => Family::Freshness,
            sys::REMORA_FAMILY_STORAGE => Family::Storage,
            sys::REMORA_FAMILY_SYSTEM => Family::System,
            _ => Family::Unknown,
        }
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
        use ErrorKind::*;
        match self {
            InvalidArgument | NotFound | WrongType | Timeout | Cancelled | Closed | Busy => {
                Family::Call
            }
            Network | Tls | Http | Redirect | Backoff => Family::Network,
            Parse | Format | TooLarge => Family::Document,
            SignatureMissing | SignatureMalformed | SignatureMismatch | ChainMalformed
            | ChainInvalid | CertificateExpired | CertificateSubject | RootMismatch
            | ChainLocation | AttachmentMismatch => Family::Trust,
            Future | Equivocation => Family::Freshness,
            Storage | Permission | Corrupt => Family::Storage,
            Unavailable | Internal => Family::System,
            Unknown(status) => Family::of(status),
        }
    }
}
