# SPDX-License-Identifier: Apache-2.0
#
# Users hold a `Snapshot` and may close it. The library's handle belongs to a `Content`, which several snapshots may
# share. The values of a change are decoded when they are read.
"""Snapshots, and the changes between two of them."""

from __future__ import annotations

from _collections_abc import Mapping  # `collections.abc` has them too, and takes longer to import.

from ._ffi import reads
from ._runtime.arguments import key_bytes, pointer_bytes
from ._runtime.data import Record
from ._runtime.typed_reads import TypedReads
from .errors import NotFoundError, closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import Any, NoReturn

    from ._runtime.content import Content
    from ._runtime.data import JSON
    from .errors import Error
    from .experiments import Experiment
    from .records import CollectionRecord
    from .values import ChangeKind, Origin


class Change(Record):
    """A change of one key."""

    __slots__ = ("_new", "_old", "key", "kind")

    kind: ChangeKind
    """The kind of the change: CREATED, UPDATED or DELETED."""
    key: str
    _old: Content
    _new: Content

    @property
    def old(self) -> JSON:
        """The value before the change; None if the key was created."""
        return None if self.kind.name == "CREATED" else self._old[self.key]

    @property
    def new(self) -> JSON:
        """The value after the change; None if the key was deleted."""
        return None if self.kind.name == "DELETED" else self._new[self.key]


def changes_of(pairs: Iterable[tuple[int, str]], old: Content, new: Content) -> tuple[Change, ...]:
    """Creates the changes from pairs of a kind and a key."""
    from .values import ChangeKind  # Later: `enum` is slow to import.

    return tuple(Change(kind=ChangeKind(kind), key=key, _old=old, _new=new) for kind, key in pairs)


def changes_between(old: Content, new: Content) -> list[Change]:
    """Returns the changes from one snapshot to another, sorted by key."""
    from ._ffi.notifying import diff

    return list(changes_of(diff(old.handle, new.handle), old, new))


class _Closed:
    """The content of a closed snapshot: reading it raises ClosedError."""

    def __getitem__(self, key: object) -> NoReturn:
        raise closed("snapshot")

    def __getattr__(self, name: str) -> NoReturn:
        raise closed("snapshot")


_CLOSED: Any = _Closed()


def handle_of(snapshot: Snapshot | None) -> reads.SnapshotHandle | None:
    """Returns the handle of a snapshot, or None for None. Raises TypeError for other objects, and ClosedError."""
    return None if snapshot is None else required_handle_of(snapshot)


def required_handle_of(snapshot: Snapshot) -> reads.SnapshotHandle:
    """Returns the handle of a snapshot. Raises TypeError for None and other objects, and ClosedError."""
    if not isinstance(snapshot, Snapshot):
        raise TypeError(f"snapshot must be a Snapshot, not {type(snapshot).__name__}")
    return snapshot._content.handle


class Snapshot(TypedReads, Mapping[str, "JSON"]):
    """The data of a source at one version: an immutable mapping from keys to JSON values.

    Use it to read several values that belong together. It remains readable after its source and client are closed, and
    may be used in any thread. Reads never block. `close` releases the memory, as does deleting the last reference.

    A missing key raises NotFoundError, which is a KeyError. Objects and arrays are read-only `dict` and `list`.
    """

    __slots__ = ("__weakref__", "_content", "_error")

    def __init__(self, content: Content, error: Error | None = None) -> None:
        self._content = content
        self._error = error

    def __getitem__(self, key: str) -> JSON:
        return self._content[key]  # type: ignore[no-any-return]

    def __contains__(self, key: object) -> bool:
        if key in self._content:
            return True
        try:
            reads.find(self._content.handle, key_bytes(key))
        except NotFoundError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._content.keys_in_order)

    def __len__(self) -> int:
        return reads.count(self._content.handle)

    def __repr__(self) -> str:
        if self._content is _CLOSED:
            return "<remora.Snapshot closed>"
        source = self._content.source()
        described = "" if source is None else source._described()
        return f"<remora.Snapshot{described} version={self.version} origin={self.origin.name} keys={len(self)}>"

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Snapshot cannot be pickled or copied; take dict(snapshot)")

    def close(self) -> None:
        """Releases the snapshot. Reading it afterwards raises ClosedError. A second call does nothing."""
        self._content = _CLOSED

    @property
    def origin(self) -> Origin:
        """The origin of the data."""
        from .values import Origin

        return Origin(self._content.info.origin)

    def origin_of(self, key: str) -> Origin:
        """Returns the origin of a value: OVERRIDE if any part is overridden. Raises NotFoundError for a missing key."""
        from .values import Origin

        return Origin(reads.origin_of(self._content.handle, key_bytes(key)))

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The A/B experiments of settings, by name, with the variants that the server chose."""
        from .experiments import experiments_of

        return experiments_of(self._content.handle)

    @property
    def version(self) -> int:
        """The version of a bundle, else a timestamp in milliseconds since 1970; 0 without data."""
        return int(self._content.info.version)

    @property
    def fetched_at(self) -> datetime | None:
        """The time when the data was fetched, in UTC; None if it was not fetched."""
        from .values import moment

        return moment(self._content.info.fetched_at_ms)

    @property
    def verified(self) -> bool:
        """Whether a signature was verified for this data."""
        return bool(self._content.info.verified)

    @property
    def error(self) -> Error | None:
        """The reason why `wait` returned this snapshot instead of a fresh one; None for every other snapshot."""
        return self._error

    def _because(self, error: Error) -> Snapshot:
        """Returns the same snapshot with a value of `error`."""
        # Without the traceback of the error, whose frames would keep the source and the client.
        return Snapshot(self._content, error.with_traceback(None))

    def record(self, id: str) -> CollectionRecord:
        """Returns a record of a collection, as an object. Raises NotFoundError.

        To open the attachment of the record, keep a reference to the source: a snapshot does not keep it open.
        """
        from .records import CollectionRecord  # Later: most programs do not use it.

        content = self._content
        return CollectionRecord(content, id, content.source())

    def records(self) -> Iterator[CollectionRecord]:
        """Returns the records of a collection, sorted by id."""
        from .records import CollectionRecord

        content = self._content
        source = content.source()
        return (CollectionRecord(content, key, source) for key in content.keys_in_order)

    def json(self, key: str | None = None, pointer: str | None = None) -> str:
        """Returns the canonical JSON text of the whole snapshot, of the value of a key, or of the part at a pointer.

        Raises NotFoundError, and InvalidArgumentError for a malformed pointer or a pointer without a key.
        """
        handle = self._content.handle
        return reads.snapshot_text(handle, None if key is None else key_bytes(key), pointer_bytes(pointer)).decode()

    def diff(self, newer: Snapshot) -> list[Change]:
        """Returns the changes from this snapshot to another one: the keys with different values, sorted."""
        if not isinstance(newer, Snapshot):
            raise TypeError(f"newer must be a Snapshot, not {type(newer).__name__}")
        return changes_between(self._content, newer._content)
