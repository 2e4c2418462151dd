# SPDX-License-Identifier: Apache-2.0
#
# An event is a copy of the library's structure, and may be kept. An event knows its source, and a source calls its
# subscribers with events: so both are defined here.
"""Events, and sources with subscribers."""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.

from ._ffi import reads
from ._ffi.calling import error_at
from ._runtime.arguments import named_options, text
from ._runtime.content import Content
from ._runtime.data import Record, public_name
from ._runtime.receivers import Receiver, checked_callback
from ._source.background import BackgroundCalls
from .snapshot import Change, Snapshot, changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Union

    from ._ffi import callbacks
    from ._ffi.calling import Handle
    from ._runtime.core import Core
    from ._runtime.subscriptions import Subscription
    from .bundle import Namespace
    from .errors import Error
    from .experiments import Experiment
    from .values import Cause, Freshness, Origin, Outcome, SourceKind

    FindSource = Callable[[], Union["EventSource", None]]
    """Returns a source, or None if nothing else keeps it."""

_PROMISE_SECONDS = 1.0
"""How many seconds `event.source` waits until the source has been opened."""


class Configuration(Record):
    """A bundle that became live, as a tracker of Snowplow (an analytics library) would report it to the program."""

    __slots__ = ("namespaces", "state")

    state: Origin
    """The origin of the live bundle: DEFAULT, CACHED or FETCHED."""
    namespaces: tuple[str, ...]
    """The names of the namespaces in the live bundle, in the order of the bundle."""


class Event(Record):
    """A change of the state of a source, such as the result of a refresh. Events and their snapshots may be kept."""

    __slots__ = (
        "_source", "cause", "changes", "configuration", "error", "freshness", "kind", "new", "new_experiments", "old",
        "old_freshness", "origin", "outcome", "source_name", "staged", "storage_error", "version",
    )  # fmt: skip

    source_name: str
    """The name of the source, as in `SourceInfo.name`."""
    kind: SourceKind
    cause: Cause
    outcome: Outcome
    """The outcome of the refresh, if the cause is REFRESHED; else STAGED if a version was staged, or NONE."""
    origin: Origin
    """The origin of the live values."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or the version of a bundle; 0 without data."""
    changes: tuple[Change, ...]
    """The changed keys, sorted. A subscriber of a key receives only that key. Empty if the cause is OPENED."""
    old: Snapshot
    """The snapshot that was live before the event."""
    new: Snapshot
    """The snapshot that is live after the event."""
    staged: Snapshot | None
    """The staged snapshot; None if nothing is staged."""
    new_experiments: tuple[Experiment, ...]
    """The A/B experiments that became live, or whose variant has changed. Each is reported by one process only. Empty
    for a subscriber of a key."""
    configuration: Configuration | None
    """The live bundle, if the event reports its opening, its update, or an update by another process; else None."""
    error: Error | None
    """The reason for the outcome REFUSED or FAILED; otherwise None."""
    storage_error: Error | None
    """The last storage failure, such as a full disk; None if the last storage operation succeeded."""
    freshness: Freshness
    """Whether the last successful refresh is recent enough."""
    old_freshness: Freshness
    """The freshness before the event. It differs from `freshness` only if the cause is FRESHNESS."""
    _source: FindSource

    @property
    def source(self) -> EventSource | None:
        """The source of the event; None if the program does not keep the source any more."""
        return self._source()

    def __repr__(self) -> str:
        cause = self.cause.name if self.outcome.name == "NONE" else f"{self.cause.name} {self.outcome.name}"
        return (
            f"<{public_name(self)} {cause} {self.kind.name.lower()} {self.source_name!r} version={self.version}"
            f" origin={self.origin.name} changes={[change.key for change in self.changes]!r}>"
        )


def event_from(event: callbacks.Event, source: FindSource) -> Event:
    """Creates an event from the library's structure, which is valid during the callback."""
    from ._ffi.notifying import changes_in, namespaces_in
    from .values import Cause, Freshness, Origin, Outcome, SourceKind  # Later: `enum` is slow to import.

    experiments: tuple[Experiment, ...] = ()
    if event.new_experiment_count:
        from .experiments import new_experiments

        experiments = new_experiments(event)
    namespaces, origin = namespaces_in(event), Origin(event.origin)
    old, new = (Content(reads.retain(address), source) for address in (event.old_snapshot, event.new_snapshot))
    return Event(
        source_name=event.source_name.decode(),
        kind=SourceKind(event.kind),
        cause=Cause(event.cause),
        outcome=Outcome(event.outcome),
        origin=origin,
        version=event.version,
        changes=changes_of(changes_in(event), old, new),
        old=Snapshot(old),
        new=Snapshot(new),
        staged=Snapshot(Content(reads.retain(event.staged_snapshot), source)) if event.staged_snapshot else None,
        new_experiments=experiments,
        configuration=None if namespaces is None else Configuration(state=origin, namespaces=namespaces),
        error=error_at(event.error),
        storage_error=error_at(event.storage_error),
        freshness=Freshness(event.new_freshness),
        old_freshness=Freshness(event.old_freshness),
        _source=source,
    )


class EventReceiver(Receiver):
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
    """Finds a source that is being opened, because events may be reported before the `Source` exists."""

    __slots__ = ("_find", "_is_kept")

    def __init__(self) -> None:
        from threading import Event  # Later: most programs need no thread.

        self._find: FindSource = lambda: None
        self._is_kept = Event()

    def keep(self, find: FindSource) -> None:
        self._find = find
        self._is_kept.set()

    def __call__(self) -> EventSource | None:
        self._is_kept.wait(_PROMISE_SECONDS)  # In a child that was forked meanwhile, `keep` is never called.
        return self._find()


class FirstReceiver(EventReceiver):
    """Receives the events of a source from its opening on."""

    __slots__ = ("source",)

    def __init__(self, core: Core, callback: Callable[..., object]) -> None:
        self.source = PromisedSource()
        super().__init__(core, callback, self.source)


class EventSource(BackgroundCalls):
    """A source with subscribers, for the synchronous and the asyncio client."""

    __slots__ = ()

    def __init__(self, client: object, core: Core, handle: Handle, first: FirstReceiver | None) -> None:
        super().__init__(client, core, handle, first)
        if first is not None:
            first.source.keep(ref(self))

    @named_options
    def subscribe(
        self, callback: Callable[[Event], object], key: str | None = None, replay: bool = False
    ) -> Subscription:
        """Registers a callback for the events of this source, or for the changes of one key.

        Keep the returned subscription: it ends with the last reference to it. With `replay`, the first event reports
        the current state. A subscriber of a source is notified of new data from other processes, and of every refresh
        by this client, except cancelled refreshes and those with the outcome NONE. A subscriber of a key is notified
        only when its value changes. While a callback is running, successive events that report new live data are merged
        if they have the same cause and outcome. Exceptions of the callback are reported to the client's logger, or else
        to `sys.unraisablehook`. Raises ClosedError or UnavailableError.
        """
        receiver = EventReceiver(self._core, checked_callback(callback), ref(self))
        return self._subscribe(receiver, key, replay)

    def namespaces(self, snapshot: Snapshot | None = None) -> tuple[Namespace, ...]:
        """Returns the namespaces of a bundle.

        First come the namespaces that the bundle lists, in its order; then, sorted by name, those that only an earlier
        version listed, unless the bundle removes them, and those that an override created. To list those of a snapshot,
        pass it, such as `event.new`. Does not block. Raises InvalidArgumentError if the source is not a bundle, and
        ClosedError.
        """
        from .bundle import namespaces_of

        return namespaces_of(self._using(), snapshot)

    def _subscribe(self, receiver: EventReceiver, key: str | None, replay: bool) -> Subscription:
        from ._ffi import notifying
        from ._runtime.subscriptions import Subscription

        key_text, source = text("key", key), self._calling_back(receiver)
        handle = notifying.subscribe(source, key_text, bool(replay), ref(receiver))
        return Subscription(self, self._core, receiver, handle, key)
