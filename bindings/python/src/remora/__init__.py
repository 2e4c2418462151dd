# SPDX-License-Identifier: Apache-2.0
"""Remora: an embeddable client for remote settings.

    with remora.Client("/var/lib/host/remora") as client:
        settings = client.collection("demo")
        settings.refresh(timeout=5)
        print(settings["banner"])

For asyncio see `remora.aio`. The guide is docs/python.md.
"""

from __future__ import annotations

import os as _os
import sys as _sys

from ._ffi import functions as _functions  # First: a missing library is an ImportError of this package.
from ._runtime.data import JSON
from ._runtime.receivers import Request
from .client import Client
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
    ParseError,
    PermissionError,
    RedirectError,
    RejectedError,
    RootMismatchError,
    SchemaError,
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
from .events import Configuration, Event
from .snapshot import Change, Snapshot
from .source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import aio as aio
    from . import testing as testing
    from ._runtime.keys import Key as Key
    from ._runtime.subscriptions import Subscription as Subscription
    from ._source.explanations import Explanation as Explanation
    from .attachments import Attachment as Attachment
    from .attachments import OpenAttachment as OpenAttachment
    from .bundle import Namespace as Namespace
    from .experiments import Experiment as Experiment
    from .filters import filter_matches as filter_matches
    from .installer import Installer as Installer
    from .installer import Seed as Seed
    from .installer import SeedRequest as SeedRequest
    from .installer import preconnect as preconnect
    from .overrides import Overrides as Overrides
    from .overrides import OverridesView as OverridesView
    from .records import CollectionRecord as CollectionRecord
    from .reports import Attempt as Attempt
    from .reports import SourceInfo as SourceInfo
    from .reports import SyncItem as SyncItem
    from .reports import SyncReport as SyncReport
    from .settings import Settings as Settings
    from .values import Activation as Activation
    from .values import Cause as Cause
    from .values import ChangeKind as ChangeKind
    from .values import Freshness as Freshness
    from .values import Method as Method
    from .values import Origin as Origin
    from .values import Outcome as Outcome
    from .values import SourceKind as SourceKind
    from .values import Trust as Trust

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
    "Configuration",
    "CorruptError",
    "DocumentError",
    "EquivocationError",
    "Error",
    "Event",
    "Experiment",
    "Explanation",
    "FormatError",
    "Freshness",
    "FreshnessError",
    "FutureError",
    "HttpError",
    "Installer",
    "InternalError",
    "InvalidArgumentError",
    "JSON",
    "Key",
    "Method",
    "Namespace",
    "NetworkError",
    "NotFoundError",
    "OpenAttachment",
    "Origin",
    "Outcome",
    "Overrides",
    "OverridesView",
    "ParseError",
    "PermissionError",
    "RedirectError",
    "RejectedError",
    "Request",
    "RootMismatchError",
    "SchemaError",
    "Seed",
    "SeedRequest",
    "Settings",
    "SignatureMalformedError",
    "SignatureMismatchError",
    "SignatureMissingError",
    "Snapshot",
    "Source",
    "SourceInfo",
    "SourceKind",
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
    "filter_matches",
    "preconnect",
]

_LATER = {
    "_ffi.attachments": (),
    "_ffi.callbacks": (),
    "_ffi.early": (),
    "_ffi.keys": (),
    "_ffi.notifying": (),
    "_ffi.options": (),
    "_ffi.registry": (),
    "_runtime.keys": ("Key",),
    "_runtime.subscriptions": ("Subscription",),
    "_runtime.threads": (),
    "_source.explanations": ("Explanation",),
    "attachments": ("Attachment", "OpenAttachment"),
    "bundle": ("Namespace",),
    "experiments": ("Experiment",),
    "filters": ("filter_matches",),
    "installer": ("Installer", "Seed", "SeedRequest", "preconnect"),
    "overrides": ("Overrides", "OverridesView"),
    "records": ("CollectionRecord",),
    "reports": ("Attempt", "SourceInfo", "SyncItem", "SyncReport"),
    "settings": ("Settings",),
    "values": ("Activation", "Cause", "ChangeKind", "Freshness", "Method", "Origin", "Outcome", "SourceKind", "Trust"),
}
"""Modules that are imported at their first use, and the public names that they define."""

_PACKAGES = ("aio", "testing")
"""Packages that are imported when the program first uses them as attributes of this package."""

_IMPORTED_LATER = (
    "_json", "datetime", "difflib", "importlib", "json", "queue", "select", "threading", "time", "traceback", "types",
)  # fmt: skip
"""Modules of the standard library that this package imports at their first use."""

if not TYPE_CHECKING:  # Because of `__getattr__`, type checkers would accept every name.

    def __getattr__(name):
        from importlib import import_module

        if name in _PACKAGES:
            return import_module(f"{__name__}.{name}")
        module = next((module for module, names in _LATER.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
        return value

    def __dir__():
        return sorted({*globals(), *__all__, *_PACKAGES})


def _import_all() -> None:
    """Imports all modules, and waits for threads that are importing a module. Does nothing without other threads.

    Called before a fork. In the child, an import that another thread has started could never finish.
    """
    if len(_sys._current_frames()) < 2:
        return
    for name in (*_IMPORTED_LATER, *(f"{__name__}.{module}" for module in _LATER)):
        __import__(name)


_os.register_at_fork(before=_import_all)
