# SPDX-License-Identifier: Apache-2.0
#
# What clients have in common, whoever runs their callbacks.
"""The base of clients."""

from __future__ import annotations

import weakref

from ._config import client_fields, collection_fields
from ._core import Core
from ._ffi import handles
from ._ffi.registry import register
from ._receivers import EventReceiver, LogReceiver, checked_callback, log_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from logging import Logger
    from typing import NoReturn

    from typing_extensions import Unpack

    from ._config import ClientOptions, CollectionOptions
    from ._dispatching import Dispatching
    from ._events import Event
    from ._ffi.calling import Handle


class ClientBase:
    """Owns the library's client: closed by `close`, or with the last reference to it and to its sources."""

    __slots__ = ("__weakref__", "_core")

    def __init__(
        self,
        dispatching: Dispatching,
        storage_dir: str | os.PathLike[str] | None,
        logger: Logger | None,
        options: ClientOptions,
    ) -> None:
        fields = client_fields(storage_dir, **options)
        if logger is None:
            self._core = Core(handles.setup(fields, None), dispatching, None)
            return
        if not callable(getattr(logger, "isEnabledFor", None)):
            raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
        log = LogReceiver(logger)
        fields["log_level"] = log_level(logger)
        self._core = Core(handles.setup(fields, register(lambda: log)), dispatching, logger)
        log.attach(self._core)
        self._core.start()

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
    ) -> tuple[Handle, EventReceiver | None]:
        """A collection's handle, and its first subscriber, which lives as long as somebody keeps it."""
        fields = collection_fields(name, **options)
        if on_event is None:
            with self._core.using() as client:
                return handles.open_collection(client, fields, None), None
        receiver = EventReceiver(self._core, checked_callback(on_event))
        self._core.start()
        with self._core.using() as client:
            return handles.open_collection(client, fields, register(weakref.ref(receiver))), receiver
