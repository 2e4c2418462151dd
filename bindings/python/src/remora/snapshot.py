# SPDX-License-Identifier: Apache-2.0
#
# A snapshot that users hold and may close. The library's handle belongs to the content, which others may share. The
# values of a change are decoded when they are read.
"""Snapshots, and the changes between two of them."""

from __future__ import annotations

from collections.abc import Mapping

from ._ffi import reads
from ._runtime.arguments import key_bytes, pointer_bytes
from .errors import Error, NotFoundError, WrongTypeError, closed, not_found, wrong_type
from .values import ChangeKind, Origin, Record, decode_json, moment, overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import datetime
    from typing import Any, NoReturn, TypeVar

    from ._runtime.content import Content
    from .experiments import Experiment
    from .records import CollectionRecord
    from .values import JSON

    T = TypeVar("T")

_REQUIRED: Any = object()
"""Stands for "no default": what is missing raises."""


class Change(Record):
    """One changed key."""

    __slots__ = ("_new", "_old", "key", "kind")

    kind: ChangeKind
    """Created, updated or deleted."""
    key: str
    """The key."""
    _old: Content
    _new: Content

    @property
    def old(self) -> JSON:
        """The value before; None when the key was created."""
        return None if self.kind is ChangeKind.CREATED else self._old[self.key]

    @property
    def new(self) -> JSON:
        """The value now; None when the key was deleted."""
        return None if self.kind is ChangeKind.DELETED else self._new[self.key]


def changes_of(told: Iterable[tuple[int, str]], old: Content, new: Content) -> tuple[Change, ...]:
    """Changes, as the library tells their kinds and keys."""
    return tuple(Change(kind=ChangeKind(kind), key=key, _old=old, _new=new) for kind, key in told)


def changes_between(old: Content, new: Content) -> list[Change]:
    """What leads from one snapshot to another, in order of keys."""
    return list(changes_of(reads.diff(old.handle, new.handle), old, new))


class _Closed:
    """Stands for the content of a snapshot that was closed."""

    def __getitem__(self, key: object) -> NoReturn:
        raise closed("snapshot")

    def __getattr__(self, name: str) -> NoReturn:
        raise closed("snapshot")


_CLOSED: Any = _Closed()


class Snapshot(Mapping[str, "JSON"]):
    """One source at one version: an immutable mapping of keys to JSON values.

    It reads on after its source and client are closed. Safe in every thread. `close` gives up its memory early; without
    it the snapshot ends with its last reference. Reading never waits.

    A missing key is NotFoundError, which is a KeyError. Objects and arrays are read-only `dict` and `list`.
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
        return f"<remora.Snapshot version={self.version} origin={self.origin.name} keys={len(self)}>"

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Snapshot cannot be pickled or copied; take dict(snapshot)")

    def close(self) -> None:
        """Gives the snapshot up; reading it afterwards is ClosedError. Closing twice is fine."""
        self._content = _CLOSED

    @property
    def origin(self) -> Origin:
        """Where its values come from."""
        return Origin(self._content.info.origin)

    def origin_of(self, key: str) -> Origin:
        """Where the value of a key comes from: OVERRIDE when any part of it is one. NotFoundError for a missing key."""
        return Origin(reads.origin_of(self._content.handle, key_bytes(key)))

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The A/B experiments of settings by their names: what the server chose for who asks."""
        from .experiments import experiments_of

        return experiments_of(self._content.handle)

    @property
    def version(self) -> int:
        """Its timestamp in milliseconds since 1970, or a bundle's version; 0 when there is no data."""
        return int(self._content.info.version)

    @property
    def fetched_at(self) -> datetime | None:
        """When it was fetched, in UTC; None when never."""
        return moment(self._content.info.fetched_at_ms)

    @property
    def verified(self) -> bool:
        """Whether a signature was verified for this data."""
        return bool(self._content.info.verified)

    @property
    def error(self) -> Error | None:
        """Why `wait` gave this snapshot in place of a fresh one; None for every other snapshot."""
        return self._error

    def _because(self, error: Error) -> Snapshot:
        """The same snapshot, given because of an error."""
        # Without its frames, which would keep source and client.
        return Snapshot(self._content, error.with_traceback(None))

    def record(self, id: str) -> CollectionRecord:
        """A record of a collection, as an object. Raises NotFoundError.

        Keep the source where its attachment is to be opened: a snapshot does not.
        """
        from .records import CollectionRecord  # Here, because few need it.

        content = self._content
        return CollectionRecord(content, id, content.source())

    def records(self) -> Iterator[CollectionRecord]:
        """The records of a collection, in order of their ids."""
        from .records import CollectionRecord

        content = self._content
        source = content.source()
        return (CollectionRecord(content, key, source) for key in content.keys_in_order)

    def json(self, key: str | None = None, pointer: str | None = None) -> str:
        """The canonical JSON text of one value, or without a key of the whole snapshot.

        Raises NotFoundError, and InvalidArgumentError for a malformed pointer or one without a key.
        """
        handle = self._content.handle
        return reads.snapshot_text(handle, None if key is None else key_bytes(key), pointer_bytes(pointer)).decode()

    def at(self, key: str, pointer: str, default: Any = _REQUIRED) -> Any:
        """The value that a JSON Pointer (RFC 6901) leads to inside the value of a key.

        Where there is none, `default`; without a default NotFoundError. A malformed pointer is InvalidArgumentError.
        """
        try:
            value = reads.value_at(reads.find(self._content.handle, key_bytes(key)), pointer_bytes(pointer))
        except NotFoundError:
            if default is _REQUIRED:
                raise
            return default
        return decode_json(reads.value_text(value))

    # The typed reads. With a default they never raise for what the data is: it is given back as it is when there is no
    # value, null, or one that does not convert exactly (2.0 is an int, 1.5 is not; a bool is no number). Without a
    # default they say what is wrong: NotFoundError or WrongTypeError. A key or pointer that is no str is a TypeError.

    @overload
    def get_bool(self, key: str, pointer: str | None = None) -> bool: ...
    @overload
    def get_bool(self, key: str, pointer: str | None = None, *, default: T) -> bool | T: ...
    @overload
    def get_bool(self, key: str, pointer: str | None, default: T) -> bool | T: ...
    def get_bool(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """A boolean."""
        return self._typed(reads.snapshot_bool, key, pointer, default)

    @overload
    def get_int(self, key: str, pointer: str | None = None) -> int: ...
    @overload
    def get_int(self, key: str, pointer: str | None = None, *, default: T) -> int | T: ...
    @overload
    def get_int(self, key: str, pointer: str | None, default: T) -> int | T: ...
    def get_int(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """An integer, or a number that is exactly one."""
        return self._typed(reads.snapshot_int, key, pointer, default)

    @overload
    def get_float(self, key: str, pointer: str | None = None) -> float: ...
    @overload
    def get_float(self, key: str, pointer: str | None = None, *, default: T) -> float | T: ...
    @overload
    def get_float(self, key: str, pointer: str | None, default: T) -> float | T: ...
    def get_float(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """A number that is exactly a double."""
        return self._typed(reads.snapshot_float, key, pointer, default)

    @overload
    def get_str(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_str(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_str(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_str(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """A string."""
        return self._typed(reads.snapshot_str, key, pointer, default)

    @overload
    def get_url(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_url(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_url(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_url(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """A string that is an absolute URI of any scheme, such as "app://editor"; check the scheme before it is opened."""
        return self._typed(reads.snapshot_url, key, pointer, default)

    @overload
    def get_list(self, key: str, pointer: str | None = None) -> list[Any]: ...
    @overload
    def get_list(self, key: str, pointer: str | None = None, *, default: T) -> list[Any] | T: ...
    @overload
    def get_list(self, key: str, pointer: str | None, default: T) -> list[Any] | T: ...
    def get_list(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """An array, as a read-only `list`."""
        return self._decoded(list, key, pointer, default)

    @overload
    def get_dict(self, key: str, pointer: str | None = None) -> dict[str, Any]: ...
    @overload
    def get_dict(self, key: str, pointer: str | None = None, *, default: T) -> dict[str, Any] | T: ...
    @overload
    def get_dict(self, key: str, pointer: str | None, default: T) -> dict[str, Any] | T: ...
    def get_dict(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """An object, as a read-only `dict`."""
        return self._decoded(dict, key, pointer, default)

    @overload
    def get_json(self, key: str, pointer: str | None = None) -> JSON: ...
    @overload
    def get_json(self, key: str, pointer: str | None = None, *, default: T) -> JSON | T: ...
    @overload
    def get_json(self, key: str, pointer: str | None, default: T) -> JSON | T: ...
    def get_json(self, key: str, pointer: str | None = None, default: Any = _REQUIRED) -> Any:
        """A value of any type but null, decoded."""
        return self._decoded(object, key, pointer, default)

    def _decoded(self, kind: type[Any], key: str, pointer: str | None, default: Any) -> Any:
        try:
            value = self[key] if pointer is None else self.at(key, pointer)
            if value is None:
                raise not_found(key if pointer is None else key + pointer)
            if not isinstance(value, kind):
                raise wrong_type(f"the value of {key!r} is {type(value).__name__}, not {kind.__name__}")
        except (NotFoundError, WrongTypeError):
            if default is _REQUIRED:
                raise
            return default
        return value

    def _typed(self, read: Callable[..., Any], key: str, pointer: str | None, default: Any) -> Any:
        try:
            return read(self._content.handle, key_bytes(key), pointer_bytes(pointer))
        except (NotFoundError, WrongTypeError):
            if default is _REQUIRED:
                raise
            return default

    def diff(self, newer: Snapshot) -> list[Change]:
        """What leads from this snapshot to another one, in order of keys, by value."""
        if not isinstance(newer, Snapshot):
            raise TypeError(f"newer must be a Snapshot, not {type(newer).__name__}")
        return changes_between(self._content, newer._content)
