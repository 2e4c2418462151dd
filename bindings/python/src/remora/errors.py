# SPDX-License-Identifier: Apache-2.0
"""One exception class for each status of the library. The classes of a family share a base class, except in the
families CALL and SYSTEM. `error_from` converts a status to an exception.
"""

from __future__ import annotations

import builtins

from ._ffi.constants import CONSTANTS
from .names import PARAMETERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Error(Exception):
    """A failure that the library reports.

    `status` is an error code of docs/errors.md, `name` its name, and `message` a sentence for people. Other attributes
    are None if they are unknown: `http_status` is the HTTP status of the response, `retry_after` the seconds to wait
    before a retry, `source_name` the name of the source, as in `Attempt`, and `system_code` the errno of a storage
    error or libcurl's code of a network error. `str` returns the name of the source, if it is known, and the message.
    """

    status: int
    message: str
    http_status: int | None
    retry_after: float | None
    source_name: str | None
    system_code: int | None

    def __init__(
        self,
        status: int,
        message: str,
        http_status: int | None = None,
        retry_after: float | None = None,
        source_name: str | None = None,
        system_code: int | None = None,
    ) -> None:
        # Not through super(): OSError would interpret two arguments as errno and message.
        self.args = (status, message, http_status, retry_after, source_name, system_code)
        self.status = status
        self.message = message
        self.http_status = http_status
        self.retry_after = retry_after
        self.source_name = source_name
        self.system_code = system_code
        if isinstance(self, OSError):
            setattr(self, "errno", system_code)  # By name: type checkers see two types of it, of Error and of OSError.

    @property
    def name(self) -> str:
        """The name of the status, such as "REMORA_ERR_TLS"; "REMORA_ERR_UNKNOWN" for a status of a later version."""
        return _NAMES.get(self.status, "REMORA_ERR_UNKNOWN")

    @property
    def family(self) -> str:
        """The family of the status, such as "network" or "call"; "unknown" for a family of a later version."""
        return _FAMILY_NAMES.get(-self.status // 100, "unknown")

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
    """The server sent an HTTP status that is an error; see `http_status`."""


class RedirectError(NetworkError):
    """The response had too many redirects, or a redirect to an address that is not allowed."""


class BackoffError(NetworkError):
    """The server asked for a pause, and no request was sent; see `retry_after`."""


class InvalidArgumentError(Error, ValueError):
    """An argument is malformed or out of range. The call had no effect."""


class NotFoundError(Error, KeyError):
    """The key, member or element does not exist, or is null."""


class WrongTypeError(Error, TypeError):
    """The value has another type, or cannot be converted exactly."""


class TimeoutError(Error, builtins.TimeoutError):
    """The timeout that the caller passed has expired."""


class CancelledError(Error):
    """The call was cancelled by `Request.cancel` or by a reset."""


class ClosedError(Error):
    """The client, the source or the snapshot is closed, or the process is exiting."""


class BusyError(Error):
    """Another call of `Client.dispatch` is running for this client."""


class DocumentError(Error):
    """The document cannot be used. The last good data stays live."""


class ParseError(DocumentError):
    """The document is not JSON, or exceeds a limit of JSON (depth 64, 64-bit integers)."""


class FormatError(DocumentError):
    """The document is JSON, but does not have the form that the protocol requires."""


class TooLargeError(DocumentError):
    """A body, header or document exceeds its limit."""


class RejectedError(DocumentError):
    """The server still offers the version that `Source.reject` has rejected."""


class SchemaError(DocumentError):
    """The document violates `schema`, `min_keys`, `min_keys_percent` or `required_keys`."""


class TrustError(Error):
    """The signature, its certificate chain or a hash is not valid. The last good data stays live."""


class SignatureMissingError(TrustError):
    """The document has no signature of a known mode."""


class SignatureMalformedError(TrustError):
    """The signature is not base64url, or not 96 bytes long."""


class SignatureMismatchError(TrustError):
    """The signature does not match the records and the timestamp."""


class ChainMalformedError(TrustError):
    """The certificate chain does not consist of PEM certificates, or has too many certificates."""


class ChainInvalidError(TrustError):
    """A signature, key usage or name constraint in the certificate chain is not valid."""


class CertificateExpiredError(TrustError):
    """A certificate is expired or not yet valid."""


class CertificateSubjectError(TrustError):
    """The leaf certificate does not name the expected signer."""


class RootMismatchError(TrustError):
    """The root certificate is not the one of `root_sha256`."""


class ChainLocationError(TrustError):
    """The URL of the certificate chain is on a host that is not trusted."""


class AttachmentMismatchError(TrustError):
    """The size or the SHA-256 of an attachment differs from its record."""


class FreshnessError(Error):
    """The document is genuine, but its timestamp is not acceptable. The last good data stays live."""


class FutureError(FreshnessError):
    """The timestamp is too far in the future."""


class EquivocationError(FreshnessError):
    """The content differs from the content that was accepted earlier with the same timestamp."""


class StorageError(Error, OSError):
    """A file operation failed, or another client or process kept files locked; see `message` and `system_code`."""


class PermissionError(StorageError, builtins.PermissionError):
    """A file or directory is owned by another user, or writable for other users."""


class CorruptError(StorageError):
    """A stored file is damaged, or was changed while in use."""


class UnavailableError(Error):
    """libcurl or libcrypto cannot be loaded, or no memory, thread or descriptor is left."""


class InternalError(Error):
    """A bug in the library. Please report it."""


_FAMILY_NAMES = {
    number: name.removeprefix("REMORA_FAMILY_").lower()
    for name, number in CONSTANTS.items()
    if name.startswith("REMORA_FAMILY_")
}
_NAMES = {
    status: name for name, status in CONSTANTS.items() if isinstance(status, int) and name.startswith("REMORA_ERR_")
}
_BY_STATUS: dict[int, type[Error]] = {
    status: globals()["".join(map(str.title, name.split("_")[2:])) + "Error"] for status, name in _NAMES.items()
}
"""The class of each status, such as NotFoundError for REMORA_ERR_NOT_FOUND."""
_FAMILIES: dict[int, type[Error]] = {
    1: NetworkError,
    2: DocumentError,
    3: TrustError,
    4: FreshnessError,
    5: StorageError,
}
"""The class of each family, for statuses that this package does not know."""


def error_from(
    status: int,
    message: str,
    http_status: int = 0,
    retry_after_ms: int = 0,
    source_name: str = "",
    parameter: str = "",
    system_code: int = 0,
) -> Error:
    """Creates the exception for a status and its details. 0 and "" mean unknown."""
    message = PARAMETERS.get(parameter, parameter) + message[len(parameter) :]
    error = _BY_STATUS.get(status) or _FAMILIES.get(-status // 100, Error)
    retry_after = retry_after_ms / 1000 if retry_after_ms > 0 else None
    return error(status, message, http_status or None, retry_after, source_name or None, system_code or None)


def closed(what: str) -> ClosedError:
    """Returns the exception for an object that the program has closed."""
    return ClosedError(int(CONSTANTS["REMORA_ERR_CLOSED"]), f"the {what} is closed")


def invalid_argument(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(int(CONSTANTS["REMORA_ERR_INVALID_ARGUMENT"]), message)


def wrong_type(message: str) -> WrongTypeError:
    return WrongTypeError(int(CONSTANTS["REMORA_ERR_WRONG_TYPE"]), message)


def format_error(message: str) -> FormatError:
    """Returns the exception for a document with an invalid member."""
    return FormatError(int(CONSTANTS["REMORA_ERR_FORMAT"]), message)


def not_found(place: str) -> NotFoundError:
    """Returns the exception for a key or pointer that does not exist, and names it."""
    return NotFoundError(int(CONSTANTS["REMORA_ERR_NOT_FOUND"]), f"there is no {place!r}")


def malformed_pointer(pointer: str) -> InvalidArgumentError:
    message = f"pointer {pointer!r} is not a JSON Pointer (RFC 6901), such as '/text'"
    return InvalidArgumentError(int(CONSTANTS["REMORA_ERR_INVALID_ARGUMENT"]), message)


def no_record(key: str) -> NotFoundError:
    shown = key.encode("utf-8", "backslashreplace").decode()
    return NotFoundError(int(CONSTANTS["REMORA_ERR_NOT_FOUND"]), f"there is no record {shown}")
