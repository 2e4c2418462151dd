# SPDX-License-Identifier: Apache-2.0
"""Clients for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._arguments import json_object, waiting_ms
from .._client_base import ClientBase
from .._sync import SyncReceiver, SyncReport, announced_ms, out_of_time, sync
from .._tags import Tags
from ..errors import closed
from ._dispatching import LoopDispatching
from ._promise import Promise
from ._settings import Settings
from ._source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from logging import Logger

    from typing_extensions import Unpack

    from .._attempts import Attempt
    from .._bundle import BundleOptions
    from .._config import ClientOptions, CollectionOptions
    from .._core import Core
    from .._events import Event
    from .._settings import SettingsOptions


class _Ending(SyncReceiver):
    """Keeps a promise with the report of a sync; with None when there will be none."""

    __slots__ = ("promise",)

    def __init__(self, core: Core, dispatching: LoopDispatching) -> None:
        self.promise: Promise[SyncReport | None] = Promise(dispatching)
        super().__init__(core, self.promise.settle)

    def end(self) -> None:
        super().end()
        self.promise.settle_soon(None)


class Client(ClientBase):
    """As `remora.Client`, inside of an event loop that runs its callbacks.

    Made in a running loop, and used there: from another loop or thread everything but reading is RuntimeError.
    """

    __slots__ = ("_dispatching",)

    def __init__(
        self,
        storage_dir: str | os.PathLike[str] | None,
        *,
        logger: Logger | None = None,
        on_attempt: Callable[[Attempt], object] | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        self._dispatching = LoopDispatching()
        super().__init__(self._dispatching, storage_dir, logger, on_attempt, options)

    def collection(
        self, name: str, *, on_event: Callable[[Event], object] | None = None, **options: Unpack[CollectionOptions]
    ) -> Source:
        """As `remora.Client.collection`; it makes a few short file system calls."""
        self._dispatching.require_loop()
        handle, receiver = self._open(name, on_event, options)
        return Source(self, self._core, handle, receiver, self._dispatching)

    def bundle(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[BundleOptions],
    ) -> Source:
        """As `remora.Client.bundle`; it makes a few short file system calls, and the first request loads libraries."""
        self._dispatching.require_loop()
        handle, receiver = self._open_bundle(url, on_event, options)
        return Source(self, self._core, handle, receiver, self._dispatching)

    def settings(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[SettingsOptions],
    ) -> Settings:
        """As `remora.Client.settings`; it makes a few short file system calls, and the first request loads libraries."""
        self._dispatching.require_loop()
        handle, receiver = self._open_settings(url, on_event, options)
        return Settings(self, self._core, handle, receiver, self._dispatching, Tags(self.settings, url, options))

    async def sync(self, timeout: float | None = None, *, announced: int | None = None) -> SyncReport:
        """As `remora.Client.sync`; subscribers have been told by then. Cancelling the task cancels the requests."""
        self._dispatching.require_loop()
        announced_at = announced_ms(announced)
        if waiting_ms(timeout) == 0:
            return sync(self._core, 0, announced_at)
        ending = _Ending(self._core, self._dispatching)
        request = self._request_sync(ending, announced_at)
        try:
            done, _ = await asyncio.wait({ending.promise.future}, timeout=timeout)
        finally:
            request.cancel()  # Does nothing once it has ended.
        report = await ending.promise.future
        if report is None:
            raise closed("client")
        return report if done else out_of_time(report, timeout or 0)

    async def set_context(self, context: Mapping[str, object] | None) -> None:
        """As `remora.Client.set_context`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        await asyncio.to_thread(self._set_context, json_object("context", context))

    async def close(self) -> None:
        """As `remora.Client.close`. What awaits a refresh gets ClosedError, and `async for` loops end."""
        self._dispatching.require_loop()
        self._dispatching.stop()
        await asyncio.shield(asyncio.to_thread(self._core.close))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
