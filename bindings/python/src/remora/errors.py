# SPDX-License-Identifier: Apache-2.0
#
# One exception class per status of the library; those of a family have a base class, but for the call and the system.
# `error_from` is the only place where a status becomes an exception.
"""Exceptions."""

from __future__ import annotations

import builtins

from ._ffi.constants import CONSTANTS
from .names import in_python

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """A failure that the library reports.

    `status` is the number of docs/errors.md and `name` its name; `message` is one sentence for people. `http_status`
    is the status of the server's response, or None without one. `retry_after` is the seconds until a retry makes
    sense, or None when unknown. `source_name` is the name of the source, as in `Attempt`, or None when the failure is
    not about one. `str` returns the name of the source, if there is one, and the message.
    """

    status: int
    message: str
    http_status: int | None
    retry_after: float | None
    source_name: str | None

    def __init__(
        self,
        status: int,
        message: str,
        http_status: int | None = None,
        retry_after: float | None = None,
        source_name: str | None = None,
    ) -> None:
        # Not through super(): OSError would read a meaning of its own into two arguments.
        self.args = (status, message, http_status, retry_after, source_name)
        self.status = status
        self.message = message
        self.http_status = http_status
        self.retry_after = retry_after
        self.source_name = source_name

    @property
    def name(self) -> str:
        """The name of the status, such as "REMORA_ERR_TLS"; of one that this package does not know "REMORA_ERR_UNKNOWN"."""
        return _NAMES.get(self.status, "REMORA_ERR_UNKNOWN")

    def __str__(self) -> str:
        return f"{self.source_name}: {self.message}" if self.source_name else self.message

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}: {self})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args


class NetworkError(Error):
    """No usable response was received, or the server asked for a pause. Try again later."""


class TlsError(NetworkError):
    """The TLS handshake or the server's certificate failed."""


class HttpError(NetworkError):
    """The server answered with an error; see `http_status`."""


class RedirectError(NetworkError):
    """Too many redirects, or one to a place that is not allowed."""


class BackoffError(NetworkError):
    """The server asked for a pause, and no request was sent; see `retry_after`."""


class InvalidArgumentError(Error, ValueError):
    """An argument is malformed; nothing happened."""


class NotFoundError(Error, KeyError):
    """No such key, member or element, or it holds null."""


class WrongTypeError(Error, TypeError):
    """The value is of another type, or does not convert exactly."""


class TimeoutError(Error, builtins.TimeoutError):
    """The caller's own time limit ended first."""


class CancelledError(Error):
    """Cancelled by `Request.cancel` or by a reset."""


class ClosedError(Error):
    """The client, the source or the snapshot is closed, or the process is exiting."""


class BusyError(Error):
    """Another call of `Client.dispatch` is running for this client."""


class DocumentError(Error):
    """The document cannot be used. The last good data stays live."""


class ParseError(DocumentError):
    """Not JSON, or JSON beyond the limits (depth 64, 64-bit integers)."""


class FormatError(DocumentError):
    """JSON, but not of the shape that the protocol prescribes."""


class TooLargeError(DocumentError):
    """A body, header or document exceeds its limit."""


class TrustError(Error):
    """A check of signature, chain or hash refused the document. The last good data stays live."""


class SignatureMissingError(TrustError):
    """No signature of a known mode."""


class SignatureMalformedError(TrustError):
    """Not base64url, or not 96 bytes."""


class SignatureMismatchError(TrustError):
    """Records or timestamp are not what was signed."""


class ChainMalformedError(TrustError):
    """The chain is not PEM certificates, or too many."""


class ChainInvalidError(TrustError):
    """A link, a usage or a name constraint does not hold."""


class CertificateExpiredError(TrustError):
    """A certificate is expired or not yet valid."""


class CertificateSubjectError(TrustError):
    """The leaf is not for the expected signer."""


class RootMismatchError(TrustError):
    """The root is not the pinned one."""


class ChainLocationError(TrustError):
    """The chain's URL is on a host that is not trusted."""


class AttachmentMismatchError(TrustError):
    """Size or SHA-256 of an attachment are not what its record says."""


class FreshnessError(Error):
    """The document is genuine, but its timestamp is not acceptable. The last good data stays live."""


class FutureError(FreshnessError):
    """Its timestamp is too far in the future."""


class EquivocationError(FreshnessError):
    """Other content under a timestamp already accepted."""


class StorageError(Error, OSError):
    """The operating system refused; the message has its words."""


class PermissionError(StorageError, builtins.PermissionError):
    """A file or directory belongs to, or can be written by, others."""


class CorruptError(StorageError):
    """An image fails its checks."""


class UnavailableError(Error):
    """libcurl or libcrypto is missing, or the system has no thread or descriptor left."""


class InternalError(Error):
    """A defect of the library. Please report it."""


_CLASSES: dict[str, type[Error]] = {
    "REMORA_ERR_INVALID_ARGUMENT": InvalidArgumentError,
    "REMORA_ERR_NOT_FOUND": NotFoundError,
    "REMORA_ERR_WRONG_TYPE": WrongTypeError,
    "REMORA_ERR_TIMEOUT": TimeoutError,
    "REMORA_ERR_CANCELLED": CancelledError,
    "REMORA_ERR_CLOSED": ClosedError,
    "REMORA_ERR_BUSY": BusyError,
    "REMORA_ERR_NETWORK": NetworkError,
    "REMORA_ERR_TLS": TlsError,
    "REMORA_ERR_HTTP": HttpError,
    "REMORA_ERR_REDIRECT": RedirectError,
    "REMORA_ERR_TOO_LARGE": TooLargeError,
    "REMORA_ERR_UNAVAILABLE": UnavailableError,
    "REMORA_ERR_BACKOFF": BackoffError,
    "REMORA_ERR_PARSE": ParseError,
    "REMORA_ERR_FORMAT": FormatError,
    "REMORA_ERR_SIGNATURE_MISSING": SignatureMissingError,
    "REMORA_ERR_SIGNATURE_MALFORMED": SignatureMalformedError,
    "REMORA_ERR_SIGNATURE_MISMATCH": SignatureMismatchError,
    "REMORA_ERR_CHAIN_MALFORMED": ChainMalformedError,
    "REMORA_ERR_CHAIN_INVALID": ChainInvalidError,
    "REMORA_ERR_CERTIFICATE_EXPIRED": CertificateExpiredError,
    "REMORA_ERR_CERTIFICATE_SUBJECT": CertificateSubjectError,
    "REMORA_ERR_ROOT_MISMATCH": RootMismatchError,
    "REMORA_ERR_CHAIN_LOCATION": ChainLocationError,
    "REMORA_ERR_ATTACHMENT_MISMATCH": AttachmentMismatchError,
    "REMORA_ERR_FUTURE": FutureError,
    "REMORA_ERR_EQUIVOCATION": EquivocationError,
    "REMORA_ERR_STORAGE": StorageError,
    "REMORA_ERR_PERMISSION": PermissionError,
    "REMORA_ERR_CORRUPT": CorruptError,
    "REMORA_ERR_INTERNAL": InternalError,
}

_NAMES = {
    status: name for name, status in CONSTANTS.items() if isinstance(status, int) and name.startswith("REMORA_ERR_")
}
_BY_STATUS = {CONSTANTS[name]: error for name, error in _CLASSES.items()}


_FAMILIES: dict[int, type[Error]] = {
    1: NetworkError,
    2: DocumentError,
    3: TrustError,
    4: FreshnessError,
    5: StorageError,
}
"""The base class of a status that this package does not know, by its hundreds."""


def error_from(
    status: int, message: str, http_status: int = 0, retry_after_ms: int = 0, source_name: str = ""
) -> Error:
    """The exception of a status, as the library's structure describes it; 0 and "" are unknown."""
    if status == CONSTANTS["REMORA_ERR_INVALID_ARGUMENT"]:
        message = in_python(message)
    error = _BY_STATUS.get(status) or _FAMILIES.get(-status // 100, Error)
    retry_after = retry_after_ms / 1000 if retry_after_ms > 0 else None
    return error(status, message, http_status or None, retry_after, source_name or None)


def closed(what: str) -> ClosedError:
    """The exception for a handle that this package has closed itself."""
    return ClosedError(int(CONSTANTS["REMORA_ERR_CLOSED"]), f"the {what} is closed")


def invalid_argument(message: str) -> InvalidArgumentError:
    """Returns the exception for options that the library refuses too, in the words of Python."""
    return InvalidArgumentError(int(CONSTANTS["REMORA_ERR_INVALID_ARGUMENT"]), message)


def wrong_type(message: str) -> WrongTypeError:
    """Returns the exception for a value of another type."""
    return WrongTypeError(int(CONSTANTS["REMORA_ERR_WRONG_TYPE"]), message)


def format_error(message: str) -> FormatError:
    """Returns the exception for a document with an invalid member."""
    return FormatError(int(CONSTANTS["REMORA_ERR_FORMAT"]), message)


def not_found(text: str) -> NotFoundError:
    """The exception for a key or pointer that cannot be in any snapshot."""
    return NotFoundError(int(CONSTANTS["REMORA_ERR_NOT_FOUND"]), f"there is no {text!r}")


def malformed_pointer(pointer: str) -> InvalidArgumentError:
    """Returns the exception for a text that is not a JSON Pointer."""
    message = f"pointer {pointer!r} is not a JSON Pointer (RFC 6901), such as '/text'"
    return InvalidArgumentError(int(CONSTANTS["REMORA_ERR_INVALID_ARGUMENT"]), message)


def no_record(key: str) -> NotFoundError:
    """Returns the exception for a missing record."""
    shown = key.encode("utf-8", "backslashreplace").decode()
    return NotFoundError(int(CONSTANTS["REMORA_ERR_NOT_FOUND"]), f"there is no record {shown}")
