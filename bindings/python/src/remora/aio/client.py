# SPDX-License-Identifier: Apache-2.0
"""Clients for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._runtime.arguments import expected_ms, json_object, waiting_ms
from ..client import ClientBase
from ..errors import closed
from ..settings import Tags
from .loop import LoopDispatching, Promise
from .settings import Settings
from .source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from logging import Logger

    from typing_extensions import Unpack

    from .._runtime.options import ClientOptions, CollectionOptions
    from ..bundle import BundleOptions
    from ..events import Event
    from ..reports import Attempt, SyncReport
    from ..settings import SettingsOptions


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
        handle, receiver = self._open_collection(name, on_event, options)
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

    async def sync(self, timeout: float | None = None, *, expected_version: int | None = None) -> SyncReport:
        """As `remora.Client.sync`; subscribers were notified by then. Cancelling the task cancels the requests."""
        self._dispatching.require_loop()
        limit, expected = waiting_ms(timeout), expected_ms(expected_version)
        promise: Promise[SyncReport | None] = Promise(self._dispatching)
        await promise.wait(self._request_sync(promise.settle, limit, expected, lambda: promise.settle_soon(None)))
        report = promise.future.result()
        if report is None:
            raise closed("client")
        return report

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
