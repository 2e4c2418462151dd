# SPDX-License-Identifier: Apache-2.0
"""Clients for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._runtime.arguments import expected_ms, json_object, named_options, waiting_ms
from .._runtime.options import ClientOptions, takes
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
    from .._runtime.options import SourceFields
    from ..events import Event, FirstReceiver
    from ..reports import SyncReport
    from ..settings import Tags

    Self = TypeVar("Self", bound="Client")


class Client(ClientBase["Source", "Settings"]):
    """A `remora.Client` inside an event loop, which runs its callbacks. The options are those of `remora.Client`.

    Create it in a running loop, and use it there: in another loop or thread everything but reading raises
    RuntimeError. `collection`, `bundle` and `settings` are not awaited: they make a few short file system calls, and
    the first request loads libraries.
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

    def _settings(self, handle: Handle, first: FirstReceiver | None, tags: Tags) -> Settings:
        return Settings(self, self._core, handle, first, self._dispatching, tags)

    @named_options
    async def sync(self, timeout: float | None = None, *, expected_version: int | None = None) -> SyncReport:
        """Refreshes the sources that have changed, as `remora.Client.sync`; subscribers have been notified by then.

        Cancelling the task cancels the requests.
        """
        self._dispatching.require_loop()
        limit, expected = waiting_ms(timeout), expected_ms(expected_version)
        promise: Promise[SyncReport | None] = Promise(self._dispatching)
        await promise.wait(self._request_sync(promise.settle, limit, expected, lambda: promise.settle_soon(None)))
        report = promise.future.result()
        if report is None:
            raise closed("client")
        return report

    async def set_context(self, context: Mapping[str, object] | None) -> None:
        """Sets the context, as `remora.Client.set_context`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        await asyncio.to_thread(self._set_context, json_object("context", context))

    async def close(self) -> None:
        """Closes the client, as `remora.Client.close`. Awaited refreshes raise ClosedError; `async for` loops end."""
        self._dispatching.require_loop()
        self._dispatching.stop()
        await asyncio.shield(asyncio.to_thread(self._core.close))

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
