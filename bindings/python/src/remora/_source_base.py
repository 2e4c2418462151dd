# SPDX-License-Identifier: Apache-2.0
#
# What sources do without waiting: subscriptions and asynchronous refreshes, whoever runs their callbacks.
"""The base of sources."""

from __future__ import annotations

import weakref

from ._arguments import text, waiting_ms
from ._ffi import handles
from ._ffi.registry import register
from ._handle import SubscriptionHandle
from ._reads import Reads
from ._receivers import EventReceiver, RefreshReceiver, WaitReceiver, checked_callback
from ._subscription import Request, Subscription

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from ._bundle import Namespace
    from ._core import Core
    from ._enums import Outcome
    from ._events import Event
    from ._ffi.calling import Handle
    from ._open_attachment import OpenAttachment
    from ._opening import OpeningOptions
    from ._receivers import FirstReceiver, Receiver
    from ._snapshot import Snapshot
    from .errors import Error


class SourceBase(Reads):
    """A source with callbacks. It keeps its client open."""

    __slots__ = ("_client", "_receivers")

    def __init__(self, client: object, core: Core, handle: Handle, receiver: FirstReceiver | None) -> None:
        super().__init__(core, handle, receiver, weakref.ref(self))
        self._client = client
        self._receivers: weakref.WeakSet[Receiver] = weakref.WeakSet()
        if receiver is not None:
            receiver.source.keep(self._itself)

    def refresh_async(
        self, callback: Callable[[Outcome, Error | None], object] | None = None, force: bool = False
    ) -> Request:
        """As `refresh`, without waiting: the callback is told the outcome, and the error or None.

        It comes where the client's callbacks run, after the events of the same refresh; not at all when client or
        source are closed before. Without a callback only subscribers are told. The refresh lasts as long as the source is
        kept. `force` ignores the server's backoff. Raises ClosedError or UnavailableError.
        """
        if callback is None:
            return Request(handles.refresh_async(self._using(), bool(force), None))
        return self._request(RefreshReceiver(self._core, checked_callback(callback)), bool(force))

    def _request(self, receiver: RefreshReceiver, force: bool) -> Request:
        self._receivers.add(receiver)
        source = self._using()
        self._core.start()
        return Request(handles.refresh_async(source, force, register(lambda: receiver)))

    def wait_async(
        self, callback: Callable[[Snapshot], object], timeout: float | None = None, only_if_empty: bool = False
    ) -> Request:
        """As `wait`, without waiting: the callback is told the snapshot, whose `error` says why it is the one before.

        It comes where the client's callbacks run, after the events of the same refresh; not at all when client or
        source are closed before. Cancelling gives the snapshot from before, and CancelledError in it. Raises ClosedError
        or UnavailableError.
        """
        receiver = WaitReceiver(self._core, checked_callback(callback), self._itself)
        return self._request_wait(receiver, waiting_ms(timeout), bool(only_if_empty))

    def _request_wait(self, receiver: WaitReceiver, limit: int, only_if_empty: bool) -> Request:
        self._receivers.add(receiver)
        source = self._using()
        self._core.start()
        return Request(handles.wait_async(source, only_if_empty, limit, register(lambda: receiver)))

    def prefetch(self) -> None:
        """Begins what `wait` would wait for, and returns at once: what comes is there for later waits and reads.

        What it came to is told to subscribers only. It lasts as long as the source is kept. Raises ClosedError or
        UnavailableError.
        """
        handles.prefetch(self._using())

    def subscribe(
        self, callback: Callable[[Event], object], key: str | None = None, replay: bool = False
    ) -> Subscription:
        """Tells a callback of every event of this source, or of the changes of one key.

        It is called as long as the subscription is kept. With `replay` the first event is the current state. A source's
        subscriber is told the outcome of every refresh; a key's when the value of that key changed. Updates that come
        while a callback is busy merge into one as long as cause and outcome are the same. An exception that it raises goes
        to the client's logger, or to `sys.unraisablehook`, and the subscription goes on. Raises ClosedError or
        UnavailableError.
        """
        receiver = EventReceiver(self._core, checked_callback(callback), self._itself)
        return self._subscribe(receiver, key, replay)

    def namespaces(self, snapshot: Snapshot | None = None) -> tuple[Namespace, ...]:
        """The active namespaces of a bundle: those of the bundle in its order, then those carried over or made.

        Of the live snapshot, or of another one of this source, such as an event's `new`. Waits for nothing. Raises
        InvalidArgumentError where the source is no bundle; ClosedError.
        """
        from ._bundle import namespaces_of

        return namespaces_of(self._using(), snapshot)

    def open_attachment_async(
        self,
        location: str,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        **options: Unpack[OpeningOptions],
    ) -> Request:
        """As `open_attachment`, without waiting: see `Attachment.open_async`."""
        from ._opening import OpeningReceiver, at_location, open_async

        opening = at_location(location, options)
        return open_async(self, opening, OpeningReceiver(self._core, checked_callback(callback), opening))

    def close(self) -> None:
        """Gives the source up, and ends its subscriptions, asynchronous refreshes and openings; twice is fine.

        Waits for a callback of theirs that is running on another thread. Where another thread is inside a call of this
        source, the source ends when that call returns.
        """
        super().close()
        # At once, whoever still keeps the handle: an exception that somebody kept does, through its frames.
        for receiver in list(self._receivers):
            receiver.silence()

    def _subscribe(self, receiver: EventReceiver, key: str | None, replay: bool) -> Subscription:
        source, key_text = self._using(), text("key", key)
        self._core.start()
        self._receivers.add(receiver)
        handle = handles.subscribe(source, key_text, bool(replay), register(weakref.ref(receiver)))
        return Subscription(self, receiver, SubscriptionHandle(self._core, handle))
