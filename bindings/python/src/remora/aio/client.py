# SPDX-License-Identifier: Apache-2.0
"""The client for asyncio. The event loop in which it is created runs its callbacks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._runtime.arguments import json_object, waiting_ms
from .._runtime.option_fields import manner, takes
from .._runtime.options import ClientOptions, RefreshOptions
from ..client import MEMORY, ClientBase
from ..errors import closed
from .loop import LoopDispatching, Promise
from .settings import Settings
from .source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from typing_extensions import Unpack

    from .._ffi.calling import Handle
    from .._runtime.option_fields import SourceFields
    from ..events import Event, FirstReceiver
    from ..reports import SyncReport

    Self = TypeVar("Self", bound="Client")


class Client(ClientBase["Source", "Settings"]):
    """A `remora.Client` for asyncio: the event loop runs its callbacks. The options are those of `remora.Client`.

    Create it in a running loop, and use it only there: in another loop or thread, reads work, but most other calls
    raise RuntimeError. `collection`, `bundle` and `settings` are not awaited: they block for a few short calls of the
    file system.
    """

    __slots__ = ("_dispatching",)

    @takes(ClientOptions)
    def __init__(self, storage_dir: str | os.PathLike[str], **options: Unpack[ClientOptions]) -> None:
        self._dispatching = LoopDispatching()
        super().__init__(self._dispatching, storage_dir, options)

    @classmethod
    @takes(ClientOptions)
    def in_memory(cls: type[Self], **options: Unpack[ClientOptions]) -> Self:
        """Creates a client that keeps everything in memory. The options are those of `remora.Client`."""
        return cls(MEMORY, **options)

    def _opened(
        self, fields: SourceFields, on_event: Callable[[Event], object] | None
    ) -> tuple[Handle, FirstReceiver | None]:
        self._dispatching.require_loop()
        return super()._opened(fields, on_event)

    def _source(self, handle: Handle, first: FirstReceiver | None) -> Source:
        return Source(self, self._core, handle, first, self._dispatching)

    def _settings(self, handle: Handle, first: FirstReceiver | None) -> Settings:
        return Settings(self, self._core, handle, first, self._dispatching)

    @takes(RefreshOptions)
    async def sync(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> SyncReport:
        """Refreshes the sources that have changed, as `remora.Client.sync`.

        Subscribers have been notified when it returns. Cancelling the task cancels the requests.
        """
        self._dispatching.require_loop()
        limit, how = waiting_ms(timeout), manner(options)
        promise: Promise[SyncReport | None] = Promise(self._dispatching)
        await promise.wait(self._request_sync(promise.settle, limit, how, lambda: promise.settle_soon(None)))
        report = promise.future.result()
        if report is None:
            raise closed("client")
        return report

    async def set_context(self, context: Mapping[str, object] | None) -> None:
        """Sets the context, as `remora.Client.set_context`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        await asyncio.to_thread(self._set_context, json_object("context", context))

    async def close(self) -> None:
        """Closes the client, as `remora.Client.close`.

        Awaited refreshes raise ClosedError, and `async for` loops end.
        """
        self._dispatching.require_loop()
        self._dispatching.stop()
        await asyncio.shield(asyncio.to_thread(self._core.close))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
