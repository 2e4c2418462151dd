# SPDX-License-Identifier: Apache-2.0
#
# Events for `async for`. The stream owns the subscription, which refers only to the queue. So leaving the `async for`
# loop ends the subscription at once, without the garbage collector, unless the program keeps the stream.
"""Streams of events and changes."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING
from weakref import ref

from ..events import Event, EventReceiver
from ..snapshot import changes_between
from ..values import Cause

if TYPE_CHECKING:
    from typing import TypeVar

    from ..events import EventSource
    from ..experiments import Experiment
    from ..snapshot import Change
    from .loop import LoopDispatching

    Self = TypeVar("Self", bound="_Stream")


class _Queue:
    """A queue of events for the next steps of an `async for` loop. Used in the event loop only."""

    def __init__(self, key: str | None) -> None:
        self._key = key
        self._events: deque[Event] = deque()
        self._changed = asyncio.Event()
        self._has_ended = False

    def put(self, event: Event) -> None:
        """Adds an event. If it and the last queued event are updates with the same cause and outcome, merges them."""
        last = self._events[-1] if self._events else None
        if last and last.changes and event.changes and (last.cause, last.outcome) == (event.cause, event.outcome):
            event = merged(self._events.pop(), event)
        if self._key is None or event.changes or event.cause is Cause.OPENED:
            self._events.append(event)
            self._changed.set()

    def finish(self) -> None:
        """Marks the end of the queue: no event follows."""
        self._has_ended = True
        self._changed.set()

    async def take(self) -> Event:
        """Returns the next event. Raises StopAsyncIteration after the last one."""
        while not self._events:
            if self._has_ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()


class _Stream:
    """A subscription with its queue."""

    def __init__(self, source: EventSource, dispatching: LoopDispatching, key: str | None, replay: bool) -> None:
        dispatching.require_loop()
        self._queue = queue = _Queue(key)
        at_end = partial(dispatching.call_soon, queue.finish)
        receiver = EventReceiver(source._core, queue.put, ref(source), at_end)
        self._subscription = source._subscribe(receiver, key, replay)._without_warning()

    def __aiter__(self: Self) -> Self:
        return self

    async def aclose(self) -> None:
        """Ends the subscription. A task that waits for the next event receives StopAsyncIteration."""
        self._subscription.close()
        self._queue.finish()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Events(_Stream):
    """The events of a source, for `async for`. Created by `Source.events`."""

    async def __anext__(self) -> Event:
        return await self._queue.take()


class Changes(_Stream):
    """The changed keys of a source, for `async for`. Created by `Source.changes`."""

    def __init__(self, source: EventSource, dispatching: LoopDispatching, key: str | None) -> None:
        super().__init__(source, dispatching, key, replay=False)
        self._changes: deque[Change] = deque()

    async def __anext__(self) -> Change:
        while not self._changes:
            self._changes.extend((await self._queue.take()).changes)
        return self._changes.popleft()


def merged(first: Event, last: Event) -> Event:
    """Merges two successive updates of the same subscription. Fields that are not merged are those of `last`."""
    keys = {change.key for event in (first, last) for change in event.changes}
    changes = changes_between(first.old._content, last.new._content)
    merged_fields = {
        "changes": tuple(change for change in changes if change.key in keys),
        "old": first.old,
        "old_freshness": first.old_freshness,
        "new_experiments": _merged_experiments(first, last) if first.new_experiments else last.new_experiments,
        "configuration": last.configuration or first.configuration,
    }
    return Event(**{**{name: getattr(last, name) for name in Event.__slots__}, **merged_fields})


def _merged_experiments(first: Event, last: Event) -> tuple[Experiment, ...]:
    """Merges the experiments of two events: the last report of each experiment whose variant is still live."""
    reported = {one.name: one for one in (*first.new_experiments, *last.new_experiments)}
    live = last.new.experiments if reported else {}
    return tuple(one for name, one in reported.items() if name in live and live[name].variant == one.variant)
