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
from ._enums import Activation, Cause, ChangeKind, Method, Origin, Outcome, Trust
from ._events import Event
from ._info import SourceInfo
from ._json import JSON
from ._overrides import Overrides, OverridesView
from ._snapshot import Snapshot
from ._source import Source
from ._subscription import Request, Subscription
from ._sync import SyncItem, SyncReport
from .errors import (
    AttachmentMismatchError,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._attachment import Attachment as Attachment
    from ._bundle import Namespace as Namespace
    from ._collection_record import CollectionRecord as CollectionRecord
    from ._experiments import Experiment as Experiment
    from ._installer import Installer as Installer
    from ._installer import Seed as Seed
    from ._installer import SeedRequest as SeedRequest
    from ._open_attachment import OpenAttachment as OpenAttachment
    from ._preconnect import preconnect as preconnect
    from ._settings_source import Settings as Settings

__version__: str = _functions["remora_version"]().decode()
"""The version of the library that is running."""

__all__ = [
    "Activation",
    "Attachment",
    "AttachmentMismatchError",
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
    "CollectionRecord",
    "CorruptError",
    "DocumentError",
    "EquivocationError",
    "Error",
    "Event",
    "Experiment",
    "FormatError",
    "FreshnessError",
    "FutureError",
    "HttpError",
    "Installer",
    "InternalError",
    "InvalidArgumentError",
    "JSON",
    "Method",
    "Namespace",
    "NetworkError",
    "NotFoundError",
    "OpenAttachment",
    "Origin",
    "OtherError",
    "Outcome",
    "Overrides",
    "OverridesView",
    "ParseError",
    "PermissionError",
    "RedirectError",
    "Request",
    "RootMismatchError",
    "Seed",
    "SeedRequest",
    "Settings",
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
    "preconnect",
]

_LATER = {
    "Attachment": "_attachment",
    "CollectionRecord": "_collection_record",
    "Experiment": "_experiments",
    "Installer": "_installer",
    "Namespace": "_bundle",
    "OpenAttachment": "_open_attachment",
    "Seed": "_installer",
    "SeedRequest": "_installer",
    "Settings": "_settings_source",
    "preconnect": "_preconnect",
}
"""Names that are imported at their first use, and from where."""

if not TYPE_CHECKING:  # Type checkers would believe in every name.

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
        return value
