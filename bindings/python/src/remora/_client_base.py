# SPDX-License-Identifier: Apache-2.0
#
# What clients have in common, whoever runs their callbacks.
"""The base of clients."""

from __future__ import annotations

import weakref

from ._attempts import AttemptReceiver
from ._config import client_fields, collection_fields
from ._core import Core
from ._ffi import handles
from ._ffi.registry import register
from ._receivers import FirstReceiver, LogReceiver, checked_callback, log_level
from ._subscription import Request
from ._sync import SyncReceiver, announced_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from logging import Logger
    from typing import NoReturn

    from typing_extensions import Unpack

    from ._attempts import Attempt
    from ._bundle import BundleOptions
    from ._config import ClientOptions, CollectionOptions
    from ._dispatching import Dispatching
    from ._events import Event
    from ._ffi.calling import Field, Handle
    from ._receivers import EarlyReceiver
    from ._settings import SettingsOptions
    from ._sync import SyncReport


class ClientBase:
    """Owns the library's client: closed by `close`, or with the last reference to it and to its sources."""

    __slots__ = ("__weakref__", "_core")

    def __init__(
        self,
        dispatching: Dispatching,
        storage_dir: str | os.PathLike[str] | None,
        logger: Logger | None,
        on_attempt: Callable[[Attempt], object] | None,
        options: ClientOptions,
    ) -> None:
        fields = client_fields(storage_dir, **options)
        attempts = None if on_attempt is None else AttemptReceiver(checked_callback(on_attempt))
        if logger is not None:
            if not callable(getattr(logger, "isEnabledFor", None)):
                raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
            fields["log_level"] = log_level(logger)
        log = None if logger is None else LogReceiver(logger.log)
        self._core = Core(handles.setup(fields, _entered(log), _entered(attempts)), dispatching, logger)
        for receiver in (log, attempts):
            if receiver is not None:
                receiver.attach(self._core)
                self._core.start()

    def sync_async(self, callback: Callable[[SyncReport], object], *, announced: int | None = None) -> Request:
        """As `sync`, without waiting: the callback is told the report.

        It comes where the client's callbacks run, after the events of its refreshes; not at all when the client is
        closed before. Sources that have no outcome when the request is cancelled have failed with CancelledError.
        Raises ClosedError or UnavailableError, and TypeError or ValueError for a wrong argument.
        """
        receiver = SyncReceiver(self._core, checked_callback(callback))
        return self._request_sync(receiver, announced_ms(announced))

    def _request_sync(self, receiver: SyncReceiver, announced_at: int) -> Request:
        self._core.start()
        with self._core.using() as client:
            return Request(handles.sync_async(client, announced_at, register(lambda: receiver)))

    def _set_context(self, text: bytes | None) -> None:
        with self._core.using() as client:
            handles.set_context(client, text)

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._core.is_closed

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} {'closed' if self.closed else 'open'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client cannot be pickled or copied: make one in the other process")

    def __del__(self) -> None:
        # Missing when making it failed.
        if hasattr(self, "_core"):
            self._core.abandon()

    def _open(
        self, name: str, on_event: Callable[[Event], object] | None, options: CollectionOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """A collection's handle, and its first subscriber, which lives as long as somebody keeps it."""
        return self._opened(handles.open_collection, collection_fields(name, **options), on_event)

    def _open_bundle(
        self, url: str | None, on_event: Callable[[Event], object] | None, options: BundleOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """As `_open`, a bundle's."""
        from ._bundle import bundle_fields  # Later: most programs have none.
        from ._ffi.bundles import open_bundle

        return self._opened(open_bundle, bundle_fields(url, **options), on_event)

    def _open_settings(
        self, url: str | None, on_event: Callable[[Event], object] | None, options: SettingsOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """As `_open`, that of settings."""
        from ._ffi.settings import open_settings  # Later: most programs have none.
        from ._settings import settings_fields

        return self._opened(open_settings, settings_fields(url, **options), on_event)

    def _opened(
        self,
        opening: Callable[[Handle, dict[str, Field], int | None], Handle],
        fields: dict[str, Field],
        on_event: Callable[[Event], object] | None,
    ) -> tuple[Handle, FirstReceiver | None]:
        if on_event is None:
            with self._core.using() as client:
                return opening(client, fields, None), None
        receiver = FirstReceiver(self._core, checked_callback(on_event))
        self._core.start()
        with self._core.using() as client:
            return opening(client, fields, register(weakref.ref(receiver))), receiver


def _entered(receiver: EarlyReceiver | None) -> int | None:
    return None if receiver is None else register(lambda: receiver)
