# SPDX-License-Identifier: Apache-2.0
#
# An event is made from the library's structure while that is valid, and may be kept. An event knows its source, and a
# source calls its subscribers with events: so both are defined here.
"""Events, and sources with callbacks."""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.

from ._ffi import handles, reads
from ._ffi.calling import error_at
from ._runtime.arguments import expected_ms, named_options, text, waiting_ms
from ._runtime.content import Content
from ._runtime.data import Record, public_name
from ._runtime.receivers import Receiver, Request, checked_callback
from .reads import Reads
from .snapshot import Change, Snapshot, changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Union

    from ._ffi import callbacks
    from ._ffi.calling import Handle
    from ._runtime.core import Core
    from ._runtime.subscriptions import Subscription
    from .attachments import OpenAttachment, Progress
    from .bundle import Namespace
    from .errors import Error
    from .experiments import Experiment
    from .values import Cause, Origin, Outcome, SourceKind

    FindSource = Callable[[], Union["EventSource", None]]
    """Returns a source as long as somebody else keeps it."""

_PROMISE_SECONDS = 1.0
"""How long `event.source` waits until the source has been opened."""


class Event(Record):
    """What happened to a source."""

    __slots__ = (
        "_source", "cause", "changes", "error", "kind", "new", "new_experiments", "old", "origin", "outcome",
        "source_name", "staged", "storage_error", "version",
    )  # fmt: skip

    source_name: str
    """The name of the source, as in `SourceInfo.name`."""
    kind: SourceKind
    """The kind of the source."""
    cause: Cause
    """What caused it."""
    outcome: Outcome
    """The outcome of the refresh; NONE unless the cause is REFRESHED, or ADOPTED with STAGED."""
    origin: Origin
    """The origin of the live values."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or a bundle's version; 0 without data."""
    changes: tuple[Change, ...]
    """In order of keys; for a subscriber of a key that key only. Empty for cause OPENED."""
    old: Snapshot
    """The live snapshot from before. May be kept."""
    new: Snapshot
    """The live snapshot. May be kept."""
    staged: Snapshot | None
    """The snapshot that waits for its activation, whatever the cause; None without one. May be kept."""
    new_experiments: tuple[Experiment, ...]
    """Experiments that were not live before, or with another variant: each is reported once. Empty for a subscriber of a
    key."""
    error: Error | None
    """Why the outcome is REFUSED or FAILED; else None."""
    storage_error: Error | None
    """The last failure of storage, such as a full disk; else None."""
    _source: FindSource

    @property
    def source(self) -> EventSource | None:
        """The source that subscribed, such as for its `namespaces(event.new)`; None if it is not kept any more."""
        return self._source()

    def __repr__(self) -> str:
        cause = self.cause.name if self.outcome.name == "NONE" else f"{self.cause.name} {self.outcome.name}"
        return (
            f"<{public_name(self)} {cause} {self.kind.name.lower()} {self.source_name!r} version={self.version}"
            f" origin={self.origin.name} changes={[change.key for change in self.changes]!r}>"
        )


def event_from(event: callbacks.Event, source: FindSource) -> Event:
    """Makes an event of the library's structure, which is valid during the callback."""
    from ._ffi.notifying import changes_in
    from .values import Cause, Origin, Outcome, SourceKind  # Later: `enum` is slow to import.

    experiments: tuple[Experiment, ...] = ()
    if event.new_experiment_count:
        from .experiments import new_experiments

        experiments = new_experiments(event)
    old, new = (Content(reads.retain(address), source) for address in (event.old_snapshot, event.new_snapshot))
    return Event(
        source_name=event.source_name.decode(),
        kind=SourceKind(event.kind),
        cause=Cause(event.cause),
        outcome=Outcome(event.outcome),
        origin=Origin(event.origin),
        version=event.version,
        changes=changes_of(changes_in(event), old, new),
        old=Snapshot(old),
        new=Snapshot(new),
        staged=Snapshot(Content(reads.retain(event.staged_snapshot), source)) if event.staged_snapshot else None,
        new_experiments=experiments,
        error=error_at(event.error),
        storage_error=error_at(event.storage_error),
        _source=source,
    )


class EventReceiver(Receiver):
    """Receives the events of a source."""

    __slots__ = ()

    def __init__(
        self,
        core: Core,
        callback: Callable[..., object],
        source: FindSource,
        at_end: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(core, callback, lambda event: (event_from(event, source),), at_end)


class PromisedSource:
    """A source that is being opened: its events may be reported before its object exists."""

    __slots__ = ("_find", "_is_kept")

    def __init__(self) -> None:
        from threading import Event  # Later: most programs need no thread.

        self._find: FindSource = lambda: None
        self._is_kept = Event()

    def keep(self, find: FindSource) -> None:
        """Sets the source."""
        self._find = find
        self._is_kept.set()

    def __call__(self) -> EventSource | None:
        self._is_kept.wait(_PROMISE_SECONDS)  # In a child that is forked meanwhile it is never kept.
        return self._find()


class FirstReceiver(EventReceiver):
    """Receives the events of a source from its opening on."""

    __slots__ = ("source",)

    def __init__(self, core: Core, callback: Callable[..., object]) -> None:
        self.source = PromisedSource()
        super().__init__(core, callback, self.source)


class EventSource(Reads):
    """A source with callbacks: the operations that do not wait, for both packages."""

    __slots__ = ()

    def __init__(self, client: object, core: Core, handle: Handle, first: FirstReceiver | None) -> None:
        super().__init__(client, core, handle, first)
        if first is not None:
            first.source.keep(ref(self))

    @named_options
    def refresh_async(
        self,
        callback: Callable[[Outcome, Error | None], object] | None = None,
        timeout: float | None = None,
        *,
        force: bool = False,
        expected_version: int | None = None,
    ) -> Request:
        """Starts a refresh, as `refresh`, and returns; the callback receives the outcome, and the error or None.

        The callback is called where the client's callbacks run, after the events of the same refresh; not at all if
        client or source are closed before. Without a callback only subscribers are notified. The refresh lasts as long
        as the source is kept. Raises ClosedError or UnavailableError.
        """
        how = handles.manner(force=int(bool(force)), expected_version=expected_ms(expected_version))
        if callback is None:
            from ._ffi import notifying  # Later: programs that only read do without it.

            return Request(notifying.refresh_async(self._using(), how, waiting_ms(timeout), None))
        return self._request_refresh(checked_callback(callback), how, waiting_ms(timeout))

    def _request_refresh(
        self, callback: Callable[..., object], how: Any, limit: int, at_end: Callable[[], object] | None = None
    ) -> Request:
        from ._ffi import notifying
        from .values import Outcome

        def read(_: int, outcome: int, error: Any) -> tuple[Outcome, Error | None]:
            return Outcome(outcome), error_at(error)

        receiver = Receiver(self._core, callback, read, at_end)
        source = self._calling_back(receiver)
        return Request(notifying.refresh_async(source, how, limit, lambda: receiver))

    @named_options
    def wait_async(
        self, callback: Callable[[Snapshot], object], timeout: float | None = None, *, only_if_empty: bool = False
    ) -> Request:
        """Starts a refresh, as `wait`, and returns; the callback receives the snapshot.

        `error` of the snapshot is the reason that it is not fresh. The callback is called where the client's callbacks
        run, after the events of the same refresh; not at all if client or source are closed before. After cancelling
        it receives the snapshot from before, with CancelledError. Raises ClosedError or UnavailableError.
        """
        return self._request_wait(checked_callback(callback), waiting_ms(timeout), bool(only_if_empty))

    def _request_wait(
        self,
        callback: Callable[..., object],
        limit: int,
        only_if_empty: bool,
        at_end: Callable[[], object] | None = None,
    ) -> Request:
        from ._ffi import notifying

        itself = ref(self)

        def read(address: int, error: Any) -> tuple[Snapshot]:
            return (Snapshot(Content(reads.retain(address), itself), error_at(error)),)

        receiver = Receiver(self._core, callback, read, at_end)
        source = self._calling_back(receiver)
        return Request(notifying.wait_async(source, only_if_empty, limit, lambda: receiver))

    def prefetch(self) -> None:
        """Starts the refresh that `wait` would wait for, and returns at once. Later waits and reads use its result.

        Only subscribers are notified of the outcome. The refresh lasts as long as the source is kept. Raises
        ClosedError or UnavailableError.
        """
        from ._ffi import notifying

        notifying.prefetch(self._using())

    @named_options
    def subscribe(
        self, callback: Callable[[Event], object], key: str | None = None, replay: bool = False
    ) -> Subscription:
        """Calls a callback for every event of this source, or for the changes of one key.

        The callback is called as long as the subscription is kept. With `replay` the first event is the current state.
        A subscriber of a source is notified of the outcome of every refresh, a subscriber of a key when its value has
        changed. Updates that arrive while the callback is busy merge into one as long as cause and outcome are the
        same. An exception of the callback is reported to the client's logger, or to `sys.unraisablehook`, and the
        subscription goes on. Raises ClosedError or UnavailableError.
        """
        receiver = EventReceiver(self._core, checked_callback(callback), ref(self))
        return self._subscribe(receiver, key, replay)

    def namespaces(self, snapshot: Snapshot | None = None) -> tuple[Namespace, ...]:
        """Returns the active namespaces of a bundle: those of the bundle in its order, then those carried over or created.

        They are those of the live snapshot, or of another one of this source, such as an event's `new`. Waits for
        nothing. Raises InvalidArgumentError if the source is not a bundle; ClosedError.
        """
        from .bundle import namespaces_of

        return namespaces_of(self._using(), snapshot)

    @named_options
    def open_attachment_async(
        self,
        location: str,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> Request:
        """Opens an attachment, as `open_attachment`, without waiting: see `Attachment.open_async`."""
        from .attachments import OpeningReceiver, at_location, open_async

        opening = at_location(location, progress, max_bytes, local)
        receiver = OpeningReceiver(self._core, checked_callback(callback), opening)
        return open_async(self, opening, receiver, timeout)

    def _subscribe(self, receiver: EventReceiver, key: str | None, replay: bool) -> Subscription:
        from ._ffi import notifying
        from ._runtime.subscriptions import Subscription

        key_text, source = text("key", key), self._calling_back(receiver)
        handle = notifying.subscribe(source, key_text, bool(replay), ref(receiver))
        return Subscription(self, self._core, receiver, handle, key)
