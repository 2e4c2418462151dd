# SPDX-License-Identifier: Apache-2.0
"""Remora: an embeddable client for remote settings.

    with remora.Client("/var/lib/host/remora") as client:
        settings = client.collection("demo")
        settings.refresh(timeout=5)
        print(settings["banner"])

For asyncio see `remora.aio`. The guide is docs/python.md.
"""

from __future__ import annotations

from ._ffi import functions as _functions  # First: a missing library is an ImportError of this package.
from ._attempts import Attempt
from ._changes import Change
from ._client import Client
from ._enums import Cause, ChangeKind, Origin, Outcome, Trust
from ._events import Event
from ._info import SourceInfo
from ._json import JSON
from ._snapshot import Snapshot
from ._source import Source
from ._subscription import Request, Subscription
from ._sync import SyncItem, SyncReport
from .errors import (
    BackoffError,
    BusyError,
    CancelledError,
    CertificateExpiredError,
    CertificateSubjectError,
    ChainInvalidError,
    ChainLocationError,
    ChainMalformedError,
    ClosedError,
    CorruptError,
    DocumentError,
    EquivocationError,
    Error,
    FormatError,
    FreshnessError,
    FutureError,
    HttpError,
    InternalError,
    InvalidArgumentError,
    NetworkError,
    NotFoundError,
    OtherError,
    ParseError,
    PermissionError,
    RedirectError,
    RootMismatchError,
    SignatureMalformedError,
    SignatureMismatchError,
    SignatureMissingError,
    StorageError,
    TimeoutError,
    TlsError,
    TooLargeError,
    TrustError,
    UnavailableError,
    WrongTypeError,
)

__version__: str = _functions["remora_version"]().decode()
"""The version of the library that is running."""

__all__ = [
    "Attempt",
    "BackoffError",
    "BusyError",
    "CancelledError",
    "Cause",
    "CertificateExpiredError",
    "CertificateSubjectError",
    "ChainInvalidError",
    "ChainLocationError",
    "ChainMalformedError",
    "Change",
    "ChangeKind",
    "Client",
    "ClosedError",
    "CorruptError",
    "DocumentError",
    "EquivocationError",
    "Error",
    "Event",
    "FormatError",
    "FreshnessError",
    "FutureError",
    "HttpError",
    "InternalError",
    "InvalidArgumentError",
    "JSON",
    "NetworkError",
    "NotFoundError",
    "Origin",
    "OtherError",
    "Outcome",
    "ParseError",
    "PermissionError",
    "RedirectError",
    "Request",
    "RootMismatchError",
    "SignatureMalformedError",
    "SignatureMismatchError",
    "SignatureMissingError",
    "Snapshot",
    "Source",
    "SourceInfo",
    "StorageError",
    "Subscription",
    "SyncItem",
    "SyncReport",
    "TimeoutError",
    "TlsError",
    "TooLargeError",
    "Trust",
    "TrustError",
    "UnavailableError",
    "WrongTypeError",
]
