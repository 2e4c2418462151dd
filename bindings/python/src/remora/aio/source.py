# SPDX-License-Identifier: Apache-2.0
"""Sources for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._ffi import handles
from .._runtime.arguments import expected_ms, json_text, waiting_ms
from .._runtime.content import Content
from ..attachments import at_location
from ..errors import Error, closed
from ..events import EventSource
from ..overrides import OverridesView, place_of
from ..snapshot import Snapshot
from ..values import Outcome
from .events import Changes, Events
from .loop import Promise
from .records import CollectionRecord, opened_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Unpack

    from .._ffi.calling import Handle
    from .._runtime.core import Core
    from .._runtime.receivers import Request
    from ..attachments import OpenAttachment, OpeningOptions
    from ..events import FirstReceiver
    from .loop import LoopDispatching


class Source(EventSource):
    """As `remora.Source`: reads are the same, and what waits is awaited."""

    __slots__ = ("_dispatching",)

    def __init__(
        self, client: object, core: Core, handle: Handle, first: FirstReceiver | None, dispatching: LoopDispatching
    ) -> None:
        super().__init__(client, core, handle, first)
        self._dispatching = dispatching

    def record(self, id: str, snapshot: Snapshot | None = None) -> CollectionRecord:
        """A record of the live snapshot, or of another one of this source. Raises NotFoundError, ClosedError.

        Its attachment is awaited. (What `snapshot.record` gives waits, and so belongs into other threads.)
        """
        return CollectionRecord(self._content_of(snapshot), id, self, self._dispatching)

    def records(self, snapshot: Snapshot | None = None) -> Iterator[CollectionRecord]:
        """The records of the live snapshot, or of another one of this source, in order of their ids."""
        content = self._content_of(snapshot)
        return (CollectionRecord(content, key, self, self._dispatching) for key in content.keys_in_order)

    async def open_attachment(
        self, location: str, timeout: float | None = None, **options: Unpack[OpeningOptions]
    ) -> OpenAttachment:
        """As `remora.Source.open_attachment`; see `Attachment.open`."""
        return await opened_from(self, self._dispatching, at_location(location, options), timeout)

    def _content_of(self, snapshot: Snapshot | None) -> Content:
        if snapshot is None:
            snapshot = self.snapshot()
        elif not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot must be a Snapshot, not {type(snapshot).__name__}")
        return snapshot._content

    async def refresh(
        self, timeout: float | None = None, *, force: bool = False, expected_version: int | None = None
    ) -> Outcome:
        """Asks the server for newer settings and waits until they are live; subscribers have been told by then.

        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing and
        raises TimeoutError. Gives UPDATED, UNCHANGED, NOT_NEWER or STAGED. Raises what went wrong; the last good data stays
        live and stored. Cancelling the task cancels the request, unless others wait for it.
        """
        how = handles.manner(force=int(bool(force)), expected_version=expected_ms(expected_version))
        promise: Promise[tuple[Outcome, Error | None]] = Promise(self._dispatching)
        request = self._request_refresh(
            lambda *result: promise.settle(result),
            how,
            waiting_ms(timeout),
            lambda: promise.settle_soon((Outcome.NONE, closed("source"))),
        )
        await promise.wait(request)
        outcome, error = promise.future.result()
        if error is not None:
            raise error
        return outcome

    def refresh_async(
        self,
        callback: Callable[[Outcome, Error | None], object] | None = None,
        force: bool = False,
        *,
        timeout: float | None = None,
        expected_version: int | None = None,
    ) -> Request:
        """As `remora.Source.refresh_async`; the callback is called in the loop."""
        self._dispatching.require_loop()
        return super().refresh_async(callback, force, timeout=timeout, expected_version=expected_version)

    async def wait(self, timeout: float | None = None, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot: the refreshed one if it comes within `timeout` seconds, else the one before.

        As `remora.Source.wait`: `error` of the snapshot tells why it is the one before, also when client or source were
        closed meanwhile. Subscribers have been told by then. Cancelling the task cancels the request, unless others wait
        for it.
        """
        limit, before = waiting_ms(timeout), self.snapshot()
        if limit == 0:
            return before
        promise: Promise[Snapshot] = Promise(self._dispatching)

        def settle_with_before() -> None:
            promise.settle_soon(before._because(closed("source")))

        try:
            request = self._request_wait(promise.settle, limit, bool(only_if_empty), settle_with_before)
        except Error as error:
            return before._because(error)
        await promise.wait(request)
        return promise.future.result()

    def prefetch(self) -> None:
        """As `remora.Source.prefetch`; the first request loads libraries."""
        self._dispatching.require_loop()
        super().prefetch()

    async def activate(self) -> Outcome:
        """As `remora.Source.activate`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        return Outcome(await asyncio.to_thread(handles.activate, self._using()))

    async def stop_listening(self) -> None:
        """As `remora.Source.stop_listening`; events that a loop has got already are still given out."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.stop_listening, self._using())

    async def reset(self) -> None:
        """As `remora.Source.reset`."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.reset, self._using())

    @property
    def overrides(self) -> OverridesView:
        """Values of the program's own, which win over what is fetched until they are cleared: for reading."""
        return OverridesView(self._using)

    async def set_override(self, key: str, value: object, pointer: str = "", *, if_exists: bool = False) -> None:
        """Sets an override, as an assignment to `remora.Source.overrides`; on a thread of the loop's executor.

        With `if_exists` it is set only if the source has the key; else NotFoundError is raised, and nothing changes.
        """
        self._dispatching.require_loop()
        place, encoded = place_of((key, pointer)), json_text("value", value)
        await asyncio.to_thread(handles.set_override, self._using(), *place, encoded, if_exists)

    async def clear_override(self, key: str, pointer: str = "") -> None:
        """Clears the override at a place and those below it. Raises NotFoundError when there is none."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_override, self._using(), *place_of((key, pointer)))

    async def clear_overrides(self) -> None:
        """Clears all overrides of the source."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_overrides, self._using())

    def events(self, key: str | None = None, replay: bool = False) -> Events:
        """The events from now on, for `async for`: of the source, or those that change one key.

        With `replay` the first one is the current state. Updates that come while nobody asks merge into one as long as
        cause and outcome are the same. The end of the loop, `aclose`, or the last reference ends the subscription; the end
        of source or client ends the loop.
        Several may run at once.
        """
        return Events(self, self._dispatching, key, replay)

    def changes(self, key: str | None = None) -> Changes:
        """The changes from now on, for `async for`: one per changed key. As `events` otherwise."""
        return Changes(self, self._dispatching, key)
