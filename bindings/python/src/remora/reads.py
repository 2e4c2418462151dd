# SPDX-License-Identifier: Apache-2.0
#
# What all sources have, whatever they are and however they are refreshed: reading the live snapshot.
#
# The hot read is `source["key"]`. Decoded values belong to one snapshot, and a number in the library's memory says
# whether that is still the live one; so a cached read is one load and one dictionary lookup, without a call. The number
# is read before the snapshot is taken: what is published in between is seen as a change by the next read, never missed.
"""Reading a source."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import ref

from ._ffi import reads
from ._ffi.reads import (
    BOOL_MARK,
    INT_MARK,
    INT_MARK_VALUE,
    NAN,
    ZERO,
    source_bool,
    source_double,
    source_int,
    source_json,
    source_str,
    source_url,
)
from ._runtime.arguments import key_bytes, known_keys, known_pointers, pointer_bytes
from ._runtime.content import Content
from ._runtime.lifetimes import OpenSource
from .errors import NotFoundError
from .reports import SourceInfo, info_from
from .snapshot import Snapshot
from .values import overload, parse_json, public_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, ValuesView
    from typing import Any, NoReturn, Sequence, TypeVar

    from ._ffi.calling import Handle
    from ._runtime.core import Core
    from ._runtime.receivers import Receiver
    from .experiments import Experiment
    from .values import JSON

    T = TypeVar("T")
    Self = TypeVar("Self", bound="Reads")

_NO_REVISION = (-1,)
"""The revision of a closed source: it says nothing, so that the slow path is taken, which raises."""


class _Live:
    """The content of the live snapshot as of a revision; one object, so that threads see both or neither."""

    __slots__ = ("content", "revision")

    def __init__(self, revision: int | None, content: Content | None) -> None:
        self.revision = revision
        self.content: Any = content


class Reads(OpenSource, Mapping[str, "JSON"]):
    """The live values of a source: a mapping of keys to JSON values, which may change between two reads.

    Take a `snapshot` where several values must belong together. Safe in every thread. Reading does not wait, except for
    the first read in a forked child: at most 50 ms, and for file system calls. After `close` it raises ClosedError, and
    the typed reads give their default.
    """

    __slots__ = ("_live", "_revision")

    def __init__(self, client: object, core: Core, handle: Handle, first: Receiver | None) -> None:
        super().__init__(client, core, handle, first)
        self._live = _Live(None, None)
        self._revision: Sequence[int] = reads.revision_of(self._handle)

    # Reading

    def __getitem__(self, key: str) -> JSON:
        live = self._live
        if self._revision[0] == live.revision:
            return live.content[key]  # type: ignore[no-any-return]
        return self._content()[key]  # type: ignore[no-any-return]

    def __contains__(self, key: object) -> bool:
        return key in self.snapshot()

    def __iter__(self) -> Iterator[str]:
        return iter(self.snapshot())

    def __len__(self) -> int:
        return len(self.snapshot())

    def keys(self) -> KeysView[str]:
        """The keys of the live snapshot; later changes do not show."""
        return self.snapshot().keys()

    def values(self) -> ValuesView[JSON]:
        """The values of the live snapshot; later changes do not show."""
        return self.snapshot().values()

    def items(self) -> ItemsView[str, JSON]:
        """The keys and values of the live snapshot; later changes do not show."""
        return self.snapshot().items()

    # Two sources are never equal: what they hold may change between two looks.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def snapshot(self, unfiltered: bool = False) -> Snapshot:
        """The live snapshot: values that belong together. Raises ClosedError.

        `unfiltered` is for tools: the data as it came, with the records that filters hide, and without overrides.
        """
        if unfiltered:
            return Snapshot(Content(reads.acquire_unfiltered(self._using()), ref(self)))
        live = self._live
        return Snapshot(live.content if self._revision[0] == live.revision else self._content())

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The A/B experiments of the live settings by their names. Raises ClosedError."""
        return self.snapshot().experiments

    # The typed reads go to the library without decoding anything else. They never raise for what the data is: `default`
    # is given back as it is when there is no value, null, or one that does not convert exactly (2.0 is an int, 1.5 is
    # not; a bool is no number), and by a closed source. A key or pointer that is no str is a TypeError. (A snapshot's
    # typed reads tell a missing value from one of another type.)

    @overload
    def get_bool(self, key: str, pointer: str | None = None) -> bool | None: ...
    @overload
    def get_bool(self, key: str, pointer: str | None = None, *, default: T) -> bool | T: ...
    @overload
    def get_bool(self, key: str, pointer: str | None, default: T) -> bool | T: ...
    def get_bool(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """A boolean."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = source_bool(source.argument, known_keys[key], known_pointers[pointer], BOOL_MARK)
        except KeyError:
            try:
                found = source_bool(source.argument, key_bytes(key), pointer_bytes(pointer), BOOL_MARK)
            except NotFoundError:
                return default
        return default if found == -1 else found == 1

    @overload
    def get_int(self, key: str, pointer: str | None = None) -> int | None: ...
    @overload
    def get_int(self, key: str, pointer: str | None = None, *, default: T) -> int | T: ...
    @overload
    def get_int(self, key: str, pointer: str | None, default: T) -> int | T: ...
    def get_int(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """An integer, or a number that is exactly one."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            encoded, leading = known_keys[key], known_pointers[pointer]
        except KeyError:
            try:
                encoded, leading = key_bytes(key), pointer_bytes(pointer)
            except NotFoundError:
                return default
        found = source_int(source.argument, encoded, leading, INT_MARK)
        if found == INT_MARK_VALUE:
            # No value, or this very number: a second default tells which.
            found = source_int(source.argument, encoded, leading, ZERO)
            return default if found == 0 else found
        return found

    @overload
    def get_float(self, key: str, pointer: str | None = None) -> float | None: ...
    @overload
    def get_float(self, key: str, pointer: str | None = None, *, default: T) -> float | T: ...
    @overload
    def get_float(self, key: str, pointer: str | None, default: T) -> float | T: ...
    def get_float(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """A number that is exactly a double."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = source_double(source.argument, known_keys[key], known_pointers[pointer], NAN)
        except KeyError:
            try:
                found = source_double(source.argument, key_bytes(key), pointer_bytes(pointer), NAN)
            except NotFoundError:
                return default
        return default if found != found else found  # JSON has no NaN.

    @overload
    def get_str(self, key: str, pointer: str | None = None) -> str | None: ...
    @overload
    def get_str(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_str(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_str(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """A string."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = source_str(source.argument, known_keys[key], known_pointers[pointer])
        except KeyError:
            try:
                found = source_str(source.argument, key_bytes(key), pointer_bytes(pointer))
            except NotFoundError:
                return default
        return default if found is None else found

    @overload
    def get_url(self, key: str, pointer: str | None = None) -> str | None: ...
    @overload
    def get_url(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_url(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_url(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """A string that is an absolute URI of any scheme, such as "app://editor"; check the scheme before it is opened."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = source_url(source.argument, known_keys[key], known_pointers[pointer])
        except KeyError:
            try:
                found = source_url(source.argument, key_bytes(key), pointer_bytes(pointer))
            except NotFoundError:
                return default
        return default if found is None else found

    @overload
    def get_list(self, key: str, pointer: str | None = None) -> list[Any] | None: ...
    @overload
    def get_list(self, key: str, pointer: str | None = None, *, default: T) -> list[Any] | T: ...
    @overload
    def get_list(self, key: str, pointer: str | None, default: T) -> list[Any] | T: ...
    def get_list(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """An array, as a read-only `list`."""
        found = self.get_json(key, pointer)
        return found if isinstance(found, list) else default

    @overload
    def get_dict(self, key: str, pointer: str | None = None) -> dict[str, Any] | None: ...
    @overload
    def get_dict(self, key: str, pointer: str | None = None, *, default: T) -> dict[str, Any] | T: ...
    @overload
    def get_dict(self, key: str, pointer: str | None, default: T) -> dict[str, Any] | T: ...
    def get_dict(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """An object, as a read-only `dict`."""
        found = self.get_json(key, pointer)
        return found if isinstance(found, dict) else default

    @overload
    def get_json(self, key: str, pointer: str | None = None) -> JSON: ...
    @overload
    def get_json(self, key: str, pointer: str | None = None, *, default: T) -> JSON | T: ...
    @overload
    def get_json(self, key: str, pointer: str | None, default: T) -> JSON | T: ...
    def get_json(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """A value of any type but null, decoded."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = source_json(source.argument, key_bytes(key), pointer_bytes(pointer))
        except NotFoundError:
            return default
        return default if found is None else parse_json(found)

    # State and end

    def info(self) -> SourceInfo:
        """The state of the source. Reads a small file. Raises ClosedError."""
        return info_from(reads.source_info(self._using()))

    def close(self) -> None:
        """Gives the source up, and ends its subscriptions, asynchronous refreshes and openings; twice is fine.

        Waits for a callback of theirs that is running on another thread. Where another thread is inside a call of this
        source, the source ends when that call returns.
        """
        self._revision = _NO_REVISION
        self._live = _Live(None, None)
        self._end()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{public_name(self)} {'closed' if self.closed else 'open'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source cannot be pickled or copied: open the collection in the other process")

    def _content(self) -> Content:
        """The content of the live snapshot, kept for as long as the revision says that it is."""
        source = self._using()
        revision = self._revision[0]
        content = Content(reads.acquire(source), ref(self))
        if revision >= 0:
            self._live = _Live(revision, content)
        return content
