# SPDX-License-Identifier: Apache-2.0
"""Sources for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._ffi import handles
from .._runtime.arguments import expected_ms, json_text, named_options, waiting_ms
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

    from .._ffi.calling import Handle
    from .._runtime.core import Core
    from .._runtime.receivers import Request
    from ..attachments import OpenAttachment, Progress
    from ..events import FirstReceiver
    from ..overrides import Place
    from .loop import LoopDispatching


class Source(EventSource):
    """A `remora.Source` for asyncio: reads are the same, and waiting calls are awaited."""

    __slots__ = ("_dispatching",)

    _HOW_TO_OVERRIDE = (
        "await settings.set_override({0!r}, value) overrides the value,"
        " await settings.clear_override({0!r}) clears the override"
    )

    def __init__(
        self, client: object, core: Core, handle: Handle, first: FirstReceiver | None, dispatching: LoopDispatching
    ) -> None:
        super().__init__(client, core, handle, first)
        self._dispatching = dispatching

    def record(self, id: str, snapshot: Snapshot | None = None) -> CollectionRecord:
        """Returns a record of the live snapshot, or of another one of this source. Raises NotFoundError, ClosedError.

        Its attachment is awaited. (The attachment of a record of `snapshot.record` waits: use it in other threads.)
        """
        return CollectionRecord(self._content_of(snapshot), id, self, self._dispatching)

    def records(self, snapshot: Snapshot | None = None) -> Iterator[CollectionRecord]:
        """Returns the records of the live snapshot, or of another one of this source, in order of their ids."""
        content = self._content_of(snapshot)
        return (CollectionRecord(content, key, self, self._dispatching) for key in content.keys_in_order)

    @named_options
    async def open_attachment(
        self,
        location: str,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> OpenAttachment:
        """Opens an attachment, as `remora.Source.open_attachment`; see `Attachment.open`."""
        opening = at_location(location, progress, max_bytes, local)
        return await opened_from(self, self._dispatching, opening, timeout)

    def _content_of(self, snapshot: Snapshot | None) -> Content:
        if snapshot is None:
            snapshot = self.snapshot()
        elif not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot must be a Snapshot, not {type(snapshot).__name__}")
        return snapshot._content

    @named_options
    async def refresh(
        self, timeout: float | None = None, *, force: bool = False, expected_version: int | None = None
    ) -> Outcome:
        """Requests newer data, waits until it is live, and returns the outcome, as `remora.Source.refresh`.

        Subscribers have been notified by then. Cancelling the task cancels the request, unless others wait for it.
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

    @named_options
    def refresh_async(
        self,
        callback: Callable[[Outcome, Error | None], object] | None = None,
        timeout: float | None = None,
        *,
        force: bool = False,
        expected_version: int | None = None,
    ) -> Request:
        """Starts a refresh, as `remora.Source.refresh_async`; the callback is called in the loop."""
        self._dispatching.require_loop()
        return super().refresh_async(callback, timeout, force=force, expected_version=expected_version)

    @named_options
    async def wait(self, timeout: float | None = None, *, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot, as `remora.Source.wait`; subscribers have been notified by then.

        If client or source are closed meanwhile, it returns the snapshot from before, with `error`. Cancelling the task
        cancels the request, unless others wait for it.
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
        """Starts a refresh, as `remora.Source.prefetch`; the first request loads libraries."""
        self._dispatching.require_loop()
        super().prefetch()

    async def activate(self) -> Outcome:
        """Makes the staged data live, as `remora.Source.activate`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        return Outcome(await asyncio.to_thread(handles.activate, self._using()))

    async def stop_listening(self) -> None:
        """Keeps the live snapshot, as `remora.Source.stop_listening`. Queued events are still delivered."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.stop_listening, self._using())

    async def reset(self) -> None:
        """Removes all fetched data, as `remora.Source.reset`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.reset, self._using())

    @property
    def overrides(self) -> OverridesView:
        """Values of the program's own, which win over fetched values until they are cleared: for reading."""
        return OverridesView(self._using)

    @named_options
    async def set_override(self, place: Place, value: object, *, if_exists: bool = False) -> None:
        """Sets an override, as `remora.Source.overrides.set`; on a thread of the loop's executor.

            await settings.set_override(("limits", "/max_uploads"), 3)

        The place is a key, or a tuple of a key and a JSON Pointer into its value.
        With `if_exists` it is set only if the source has data for the key; else NotFoundError is raised, and nothing
        changes. A key that consists of overrides only counts as missing.
        """
        self._dispatching.require_loop()
        key, pointer = place_of(place)
        encoded = json_text("value", value)
        await asyncio.to_thread(handles.set_override, self._using(), key, pointer, encoded, if_exists)

    @named_options
    async def clear_override(self, place: Place) -> None:
        """Clears the override at a place and those below it. Raises NotFoundError if the place has no override."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_override, self._using(), *place_of(place))

    async def clear_overrides(self) -> None:
        """Clears all overrides of the source."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_overrides, self._using())

    def events(self, key: str | None = None, replay: bool = False) -> Events:
        """Subscribes to the events of the source, or to those that change one key, for `async for`.

        With `replay` the first one is the current state. Updates that arrive while the loop is busy merge into one as
        long as cause and outcome are the same. The end of the loop, `aclose`, or the last reference ends the
        subscription; closing the source or client ends the loop. Several streams may be open at once.
        """
        return Events(self, self._dispatching, key, replay)

    def changes(self, key: str | None = None) -> Changes:
        """Subscribes to changes, one per changed key, for `async for`. See `events`."""
        return Changes(self, self._dispatching, key)
