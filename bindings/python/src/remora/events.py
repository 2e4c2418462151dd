# SPDX-License-Identifier: Apache-2.0
#
# An event is made from the library's structure while that is valid, and may be kept. An event knows its source, and a
# source calls its subscribers with events: so both are defined here.
"""Events, subscriptions, and sources with callbacks."""

from __future__ import annotations

import threading
from weakref import ref

from ._ffi import handles, reads
from ._ffi.calling import error_at
from ._ffi.registry import register
from ._runtime.arguments import expected_ms, text, waiting_ms
from ._runtime.content import Content
from ._runtime.lifetimes import SubscriptionHandle
from ._runtime.receivers import Receiver, Request, checked_callback
from .reads import Reads
from .snapshot import Change, Snapshot, changes_of
from .values import Cause, Origin, Outcome, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, Union

    from typing_extensions import Unpack

    from ._ffi import structures
    from ._ffi.calling import Handle
    from ._runtime.core import Core
    from .attachments import OpenAttachment, OpeningOptions
    from .bundle import Namespace
    from .errors import Error
    from .experiments import Experiment

    FindSource = Callable[[], Union["EventSource", None]]
    """Returns a source as long as somebody else keeps it."""

_PROMISE_SECONDS = 1.0
"""How long who asks for a source waits until it has been opened."""


class Event(Record):
    """What happened to a source."""

    __slots__ = (
        "_source", "cause", "changes", "error", "new", "new_experiments", "old", "origin", "outcome", "staged",
        "storage_error", "version",
    )  # fmt: skip

    cause: Cause
    """Why it comes."""
    outcome: Outcome
    """What the refresh did; NONE unless the cause is REFRESHED, or ADOPTED with STAGED."""
    origin: Origin
    """Where the live values come from."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or a bundle's version; 0 when there is none."""
    changes: tuple[Change, ...]
    """In order of keys; for a subscriber of a key that key only. Empty for cause OPENED."""
    old: Snapshot
    """What was live before. May be kept."""
    new: Snapshot
    """What is live now. May be kept."""
    staged: Snapshot | None
    """What waits for its activation, whatever the cause; None when nothing does. May be kept."""
    new_experiments: tuple[Experiment, ...]
    """Experiments that were not live before, or with another variant: each is announced once. Empty for a subscriber of a
    key."""
    error: Error | None
    """Why the outcome is REFUSED or FAILED; else None."""
    storage_error: Error | None
    """The last failure of storage, such as a full disk; else None."""
    _source: FindSource

    @property
    def source(self) -> EventSource | None:
        """The source that subscribed, such as for its `namespaces(event.new)`; None when nobody keeps it any more."""
        return self._source()


def event_from(told: structures.Event, source: FindSource) -> Event:
    """The event that a callback of the library was given."""
    old, new = (Content(reads.retain(address), source) for address in (told.old_snapshot, told.new_snapshot))
    return Event(
        cause=Cause(told.cause),
        outcome=Outcome(told.outcome),
        origin=Origin(told.origin),
        version=told.version,
        changes=changes_of(reads.changes_in(told), old, new),
        old=Snapshot(old),
        new=Snapshot(new),
        staged=Snapshot(Content(reads.retain(told.staged_snapshot), source)) if told.staged_snapshot else None,
        new_experiments=_announced_in(told) if told.new_experiment_count else (),
        error=error_at(told.error),
        storage_error=error_at(told.storage_error),
        _source=source,
    )


def _announced_in(told: structures.Event) -> tuple[Experiment, ...]:
    # Programs without experiments do not import what they need.
    from .experiments import announced_in

    return announced_in(told)


class EventReceiver(Receiver):
    """Of events of a source."""

    __slots__ = ()

    def __init__(
        self,
        core: Core,
        callback: Callable[..., object],
        source: FindSource,
        at_end: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(core, callback, lambda told: (event_from(told, source),), at_end)


class PromisedSource:
    """A source that is being opened: events of it may be told before there is an object for it."""

    __slots__ = ("_find", "_is_kept")

    def __init__(self) -> None:
        self._find: FindSource = lambda: None
        self._is_kept = threading.Event()

    def keep(self, find: FindSource) -> None:
        """Says which it is."""
        self._find = find
        self._is_kept.set()

    def __call__(self) -> EventSource | None:
        # In a child that is forked meanwhile it is never kept.
        self._is_kept.wait(_PROMISE_SECONDS)
        return self._find()


class FirstReceiver(EventReceiver):
    """Of events of a source from its opening on."""

    __slots__ = ("source",)

    def __init__(self, core: Core, callback: Callable[..., object]) -> None:
        self.source = PromisedSource()
        super().__init__(core, callback, self.source)


def _refresh_end(status: int, outcome: int, error: Any) -> tuple[Outcome, Error | None]:
    return Outcome(outcome), error_at(error)


def _wait_end(source: FindSource, address: int, error: Any) -> Snapshot:
    return Snapshot(Content(reads.retain(address), source), error_at(error))


class Subscription:
    """A callback that is told of events until `close`, the end of a `with` block, or the last reference to this object.

    Keep it as long as the callback is to be called. It keeps its source and client open.
    """

    __slots__ = ("__weakref__", "_handle", "_receiver", "_source")

    def __init__(self, source: EventSource, receiver: Receiver, handle: SubscriptionHandle) -> None:
        self._source = source
        self._receiver = receiver
        self._handle = handle

    def close(self) -> None:
        """Ends the subscription; a second time it does nothing.

        When it returns the callback is not running and will not run again, except when called inside a callback: then
        it does not wait.
        """
        self._receiver.silence()
        self._handle.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self._receiver.silence()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Subscription cannot be pickled or copied")


class EventSource(Reads):
    """A source with callbacks: what every source does without waiting, whoever runs its callbacks."""

    __slots__ = ()

    def __init__(self, client: object, core: Core, handle: Handle, first: FirstReceiver | None) -> None:
        super().__init__(client, core, handle, first)
        if first is not None:
            first.source.keep(ref(self))

    def refresh_async(
        self,
        callback: Callable[[Outcome, Error | None], object] | None = None,
        force: bool = False,
        *,
        timeout: float | None = None,
        expected_version: int | None = None,
    ) -> Request:
        """Starts a refresh, as `refresh`, and returns; the callback receives the outcome, and the error or None.

        It is called where the client's callbacks run, after the events of the same refresh; not at all if client or source
        are closed before. Without a callback only subscribers are notified. The refresh lasts as long as the source is
        kept. Raises ClosedError or UnavailableError.
        """
        how = handles.manner(force=int(bool(force)), expected_version=expected_ms(expected_version))
        if callback is None:
            return Request(handles.refresh_async(self._using(), how, waiting_ms(timeout), None))
        return self._request_refresh(checked_callback(callback), how, waiting_ms(timeout))

    def _request_refresh(
        self, callback: Callable[..., object], how: Any, limit: int, at_end: Callable[[], object] | None = None
    ) -> Request:
        receiver = Receiver(self._core, callback, _refresh_end, at_end)
        source = self._calling_back(receiver)
        return Request(handles.refresh_async(source, how, limit, register(lambda: receiver)))

    def wait_async(
        self, callback: Callable[[Snapshot], object], timeout: float | None = None, only_if_empty: bool = False
    ) -> Request:
        """As `wait`, without waiting: the callback is told the snapshot, whose `error` says why it is the one before.

        It comes where the client's callbacks run, after the events of the same refresh; not at all when client or
        source are closed before. Cancelling gives the snapshot from before, and CancelledError in it. Raises ClosedError
        or UnavailableError.
        """
        return self._request_wait(checked_callback(callback), waiting_ms(timeout), bool(only_if_empty))

    def _request_wait(
        self,
        callback: Callable[..., object],
        limit: int,
        only_if_empty: bool,
        at_end: Callable[[], object] | None = None,
    ) -> Request:
        itself = ref(self)
        receiver = Receiver(self._core, callback, lambda *told: (_wait_end(itself, *told),), at_end)
        source = self._calling_back(receiver)
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
        receiver = EventReceiver(self._core, checked_callback(callback), ref(self))
        return self._subscribe(receiver, key, replay)

    def namespaces(self, snapshot: Snapshot | None = None) -> tuple[Namespace, ...]:
        """The active namespaces of a bundle: those of the bundle in its order, then those carried over or made.

        Of the live snapshot, or of another one of this source, such as an event's `new`. Waits for nothing. Raises
        InvalidArgumentError where the source is no bundle; ClosedError.
        """
        from .bundle import namespaces_of

        return namespaces_of(self._using(), snapshot)

    def open_attachment_async(
        self,
        location: str,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        **options: Unpack[OpeningOptions],
    ) -> Request:
        """As `open_attachment`, without waiting: see `Attachment.open_async`."""
        from .attachments import OpeningReceiver, at_location, open_async

        opening = at_location(location, options)
        receiver = OpeningReceiver(self._core, checked_callback(callback), opening)
        return open_async(self, opening, receiver, timeout)

    def _subscribe(self, receiver: EventReceiver, key: str | None, replay: bool) -> Subscription:
        key_text, source = text("key", key), self._calling_back(receiver)
        handle = handles.subscribe(source, key_text, bool(replay), register(ref(receiver)))
        return Subscription(self, receiver, SubscriptionHandle(self._core, handle))
