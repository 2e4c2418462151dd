# SPDX-License-Identifier: Apache-2.0
"""Clients for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._arguments import json_object
from .._client_base import ClientBase
from ._dispatching import LoopDispatching
from ._source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from logging import Logger

    from typing_extensions import Unpack

    from .._config import ClientOptions, CollectionOptions
    from .._events import Event


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
        **options: Unpack[ClientOptions],
    ) -> None:
        self._dispatching = LoopDispatching()
        super().__init__(self._dispatching, storage_dir, logger, options)

    def collection(
        self, name: str, *, on_event: Callable[[Event], object] | None = None, **options: Unpack[CollectionOptions]
    ) -> Source:
        """As `remora.Client.collection`; it makes a few short file system calls."""
        self._dispatching.require_loop()
        handle, receiver = self._open(name, on_event, options)
        return Source(self, self._core, handle, receiver, self._dispatching)

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
