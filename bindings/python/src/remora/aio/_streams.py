# SPDX-License-Identifier: Apache-2.0
#
# Events as something to iterate over. The subscription belongs to the stream and knows only its queue: so the end of a
# loop that drops the stream ends the subscription at once, without a garbage collector.
"""Streams of events and changes."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from .._enums import Cause
from .._events import Event, merged
from .._receivers import EventReceiver

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from .._changes import Change
    from .._core import Core
    from .._source_base import SourceBase
    from ._dispatching import LoopDispatching

    Self = TypeVar("Self", bound="_Stream")


class _Queue:
    """Events that nobody asked for yet. Used in the loop only."""

    def __init__(self, key: str | None) -> None:
        self._key = key
        self._events: deque[Event] = deque()
        self._changed = asyncio.Event()
        self._has_ended = False

    def put(self, event: Event) -> None:
        """Adds an event; an update merges into one of the same cause and outcome that waits."""
        last = self._events[-1] if self._events else None
        if last and last.changes and event.changes and (last.cause, last.outcome) == (event.cause, event.outcome):
            event = merged(self._events.pop(), event)
        if self._key is None or event.changes or event.cause is Cause.OPENED:
            self._events.append(event)
            self._changed.set()

    def finish(self) -> None:
        """No event will come any more."""
        self._has_ended = True
        self._changed.set()

    async def take(self) -> Event:
        """The next event; StopAsyncIteration behind the last one."""
        while not self._events:
            if self._has_ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()


class _QueueReceiver(EventReceiver):
    """Puts events into a queue."""

    __slots__ = ("_dispatching", "_queue")

    def __init__(
        self, core: Core, dispatching: LoopDispatching, queue: _Queue, source: Callable[[], SourceBase | None]
    ) -> None:
        super().__init__(core, queue.put, source)
        self._dispatching = dispatching
        self._queue = queue

    def end(self) -> None:
        super().end()
        self._dispatching.call_soon(self._queue.finish)


class _Stream:
    """A subscription with its queue."""

    def __init__(
        self, source: SourceBase, core: Core, dispatching: LoopDispatching, key: str | None, replay: bool
    ) -> None:
        dispatching.require_loop()
        self._queue = _Queue(key)
        receiver = _QueueReceiver(core, dispatching, self._queue, source._itself)
        self._subscription = source._subscribe(receiver, key, replay)

    def __aiter__(self: Self) -> Self:
        return self

    async def aclose(self) -> None:
        """Ends the subscription; who waits for the next one gets StopAsyncIteration."""
        self._subscription.close()
        self._queue.finish()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Events(_Stream):
    """Events of a source; made by `Source.events`."""

    async def __anext__(self) -> Event:
        return await self._queue.take()


class Changes(_Stream):
    """Changed keys of a source; made by `Source.changes`."""

    def __init__(
        self, source: SourceBase, core: Core, dispatching: LoopDispatching, key: str | None, replay: bool
    ) -> None:
        super().__init__(source, core, dispatching, key, replay)
        self._changes: deque[Change] = deque()

    async def __anext__(self) -> Change:
        while not self._changes:
            self._changes.extend((await self._queue.take()).changes)
        return self._changes.popleft()
