# SPDX-License-Identifier: Apache-2.0
"""Sources for asyncio. Requests are awaited in the event loop; calls that block for files run on its executor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._ffi import handles
from .._runtime.arguments import json_text, named_options, text, waiting_ms
from .._runtime.content import Content
from .._runtime.option_fields import manner, takes
from .._runtime.options import AttachmentOptions, RefreshOptions
from ..attachments import at_location
from ..errors import Error, InvalidArgumentError, closed
from ..events import EventSource
from ..overrides import OverridesView, place_of
from ..snapshot import Snapshot, handle_of, required_handle_of
from ..values import Outcome
from .events import Changes, Events
from .loop import Promise
from .records import CollectionRecord, opened_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Unpack

    from .._ffi.calling import Handle
    from .._runtime.core import Core
    from .._source.explanations import Explanation
    from ..attachments import OpenAttachment
    from ..events import FirstReceiver
    from ..overrides import Place
    from .loop import LoopDispatching


class Source(EventSource):
    """A `remora.Source` for asyncio: calls that wait are awaited, and reads are the same."""

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

    def _require_caller(self) -> None:
        self._dispatching.require_loop()

    def record(self, id: str, snapshot: Snapshot | None = None) -> CollectionRecord:
        """Returns a record of the live snapshot, or of another snapshot of this source.

        Raises NotFoundError, ClosedError. To open an attachment, use this method: in the loop, opening that of
        `snapshot.record(id)` raises RuntimeError.
        """
        return CollectionRecord(self._content_of(snapshot), id, self, self._dispatching)

    def records(self, snapshot: Snapshot | None = None) -> Iterator[CollectionRecord]:
        """Returns the records of the live snapshot, or of another snapshot of this source, sorted by id."""
        content = self._content_of(snapshot)
        return (CollectionRecord(content, key, self, self._dispatching) for key in content.keys_in_order)

    @takes(AttachmentOptions)
    async def open_attachment(
        self, location: str, timeout: float | None = None, **options: Unpack[AttachmentOptions]
    ) -> OpenAttachment:
        """Opens an attachment, as `remora.Source.open_attachment`; see `Attachment.open`."""
        return await opened_from(self, self._dispatching, at_location(location, options), timeout)

    def _content_of(self, snapshot: Snapshot | None) -> Content:
        if snapshot is None:
            snapshot = self.snapshot()
        elif not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot must be a Snapshot, not {type(snapshot).__name__}")
        return snapshot._content

    @takes(RefreshOptions)
    async def refresh(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> Outcome:
        """Requests newer data, waits until it is live, and returns the outcome, as `remora.Source.refresh`.

        Subscribers have been notified when it returns. Cancelling the task cancels the request, unless other callers
        wait for the same refresh.
        """
        how = manner(options)
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

    @takes(RefreshOptions)
    async def wait(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> Snapshot:
        """Waits for fresh data, and returns the live snapshot, as `remora.Source.wait`.

        Subscribers have been notified when it returns. If the client or the source is closed meanwhile, it returns the
        snapshot that was live at the call, with ClosedError as its `error`. Cancelling the task cancels the request,
        unless other callers wait for the same refresh.
        """
        how, limit, before = manner(options), waiting_ms(timeout), self.snapshot()
        promise: Promise[Snapshot] = Promise(self._dispatching)

        def settle_with_before() -> None:
            promise.settle_soon(before._because(closed("source")))

        try:
            request = self._request_wait(promise.settle, limit, how, settle_with_before)
        except InvalidArgumentError:
            raise
        except Error as error:
            return before._because(error)
        await promise.wait(request)
        return promise.future.result()

    @named_options
    async def explain(self, key: str, pointer: str = "") -> Explanation:
        """Explains which layer a value is from, as `remora.Source.explain`, on a thread of the loop's executor."""
        from .._source.explanations import explain  # Later: most programs do not use it.

        self._dispatching.require_loop()
        place = text("key", key), text("pointer", pointer)
        return await asyncio.to_thread(explain, self._using(), *place)

    async def activate(self, snapshot: Snapshot | None = None) -> Outcome:
        """Makes staged data live, as `remora.Source.activate`, on a thread of the loop's executor."""
        self._require_caller()
        return Outcome(await asyncio.to_thread(handles.activate, self._using(), handle_of(snapshot)))

    @named_options
    async def reject(self, snapshot: Snapshot, reason: str | None = None) -> None:
        """Rejects the live or the staged version, as `remora.Source.reject`, on a thread of the loop's executor."""
        self._require_caller()
        judged, why = required_handle_of(snapshot), text("reason", reason)
        await asyncio.to_thread(handles.reject, self._using(), judged, why)

    async def freeze(self) -> None:
        """Keeps the live snapshot, as `remora.Source.freeze`. Events that are already queued are still delivered."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.freeze, self._using())

    async def reset(self) -> None:
        """Removes all fetched data, as `remora.Source.reset`, on a thread of the loop's executor."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.reset, self._using())

    @property
    def overrides(self) -> OverridesView:
        """The overrides of the source, read-only: values of the program that take precedence over fetched values."""
        return OverridesView(self._using)

    @named_options
    async def set_override(self, place: Place, value: object, *, if_exists: bool = False) -> None:
        """Sets an override, as `remora.Source.overrides.set`, on a thread of the loop's executor.

            await settings.set_override(("limits", "/max_uploads"), 3)

        The place is a key, or a tuple of a key and a JSON Pointer into its value. With `if_exists`, raises
        NotFoundError and changes nothing if the source has no data for the key, or only overrides.
        """
        self._dispatching.require_loop()
        key, pointer = place_of(place)
        encoded = json_text("value", value)
        await asyncio.to_thread(handles.set_override, self._using(), key, pointer, encoded, if_exists)

    @named_options
    async def clear_override(self, place: Place) -> None:
        """Clears the override at a place and all overrides inside it.

        Raises NotFoundError if the place has no override.
        """
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_override, self._using(), *place_of(place))

    async def clear_overrides(self) -> None:
        """Clears all overrides of the source."""
        self._dispatching.require_loop()
        await asyncio.to_thread(handles.clear_overrides, self._using())

    def events(self, key: str | None = None, replay: bool = False) -> Events:
        """Subscribes to the events of the source, or to those that change one key, for `async for`.

        With `replay`, the first event reports the current state. While the body of the loop runs, successive events
        that report new live data are merged if they have the same cause and outcome. Leaving the loop ends the
        subscription, unless your program keeps the returned stream: then call its `aclose`. Closing the source or the
        client ends the loop. Several streams may be open at the same time.
        """
        return Events(self, self._dispatching, key, replay)

    def changes(self, key: str | None = None) -> Changes:
        """Subscribes to the changed keys of the source, for `async for`. See `events`."""
        return Changes(self, self._dispatching, key)
