# SPDX-License-Identifier: Apache-2.0
#
# What a subscriber is told, made from the library's structure while that is valid, and kept as long as one likes.
"""Events."""

from __future__ import annotations

from ._changes import Change, changes_between, changes_of
from ._content import Content
from ._enums import Cause, Origin, Outcome
from ._ffi import reads
from ._ffi.calling import error_at
from ._record import Record
from ._snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._experiments import Experiment
    from ._ffi import structures
    from ._source_base import SourceBase
    from .errors import Error


class Event(Record):
    """What happened to a source."""

    __slots__ = (
        "cause", "changes", "error", "new", "new_experiments", "old", "origin", "outcome", "staged", "storage_error",
        "version",
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

    @property
    def source(self) -> SourceBase | None:
        """The source that subscribed, such as for its `namespaces(event.new)`; None when nobody keeps it any more."""
        return self.new._content.source()


def event_from(told: structures.Event, source: Callable[[], SourceBase | None]) -> Event:
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
    )


def _announced_in(told: structures.Event) -> tuple[Experiment, ...]:
    # Programs without experiments do not import what they need.
    from ._experiments import announced_in

    return announced_in(told)


def merged(first: Event, last: Event) -> Event:
    """One event for two updates, one behind the other, of the same subscription."""
    keys = {change.key for event in (first, last) for change in event.changes}
    changes = changes_between(first.old._content, last.new._content)
    return Event(
        cause=last.cause,
        outcome=last.outcome,
        origin=last.origin,
        version=last.version,
        changes=tuple(change for change in changes if change.key in keys),
        old=first.old,
        new=last.new,
        staged=last.staged,
        new_experiments=_merged_experiments(first, last) if first.new_experiments else last.new_experiments,
        error=last.error,
        storage_error=last.storage_error,
    )


def _merged_experiments(first: Event, last: Event) -> tuple[Experiment, ...]:
    from ._experiments import merged

    return merged(first, last)
