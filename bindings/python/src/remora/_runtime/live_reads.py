# SPDX-License-Identifier: Apache-2.0
"""Reads of one value of the live snapshot. The first read calls the library, and keeps the value. The revision is a
number that changes with the live snapshot. While it is the same, later reads are one load and two dictionary lookups.
While it is unknown (negative), each read is a call.
"""

from __future__ import annotations

from .._ffi import reads
from ..errors import NotFoundError
from .arguments import key_bytes, known_keys, known_pointers, pointer_bytes
from .content import reader, keep
from .data import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, Protocol, TypeVar, overload

    from .content import Live
    from .core import Core
    from .data import JSON
    from .lifetimes import SourceHandle

    T = TypeVar("T")
    V = TypeVar("V", covariant=True)

    class LiveRead(Protocol[V]):
        """A typed read of a source."""

        @overload
        def __call__(self, key: str, pointer: str | None = None) -> V | None: ...
        @overload
        def __call__(self, key: str, pointer: str | None = None, *, default: T) -> V | T: ...
        @overload
        def __call__(self, key: str, pointer: str | None, default: T) -> V | T: ...


def _kept_read(kind: str) -> Any:
    """Creates a getter, such as `get_int` for "ints", which keeps its values."""

    def read(self: LiveReads, key: str, pointer: str | None = None, default: Any = None) -> Any:
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = getattr(live, kind)[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found(kind, key, pointer)
        return default if found is None else found

    return reader(read, "LiveReads", kind)


def _decoded_read(kind: str, type: type = object) -> Any:
    """Creates a getter, such as `get_list` for "lists", which decodes JSON each time."""

    def read(self: LiveReads, key: str, pointer: str | None = None, default: Any = None) -> Any:
        source = self._handle  # Kept, so that it is not closed under the call.
        try:
            text = reads.source_json(source.argument, key_bytes(key), pointer_bytes(pointer))
        except NotFoundError:
            return default
        found = None if text is None else parse_json(text)
        return default if found is None or not isinstance(found, type) else found

    return reader(read, "LiveReads", kind)


class LiveReads:
    """Typed reads of the live snapshot.

    A read returns `default`, unchanged, if the value is missing, null or of another type, and after `close`; it never
    raises because of the data. Numbers convert only if the conversion is exact: 2.0 is an int, 1.5 is not. A bool is
    not a number. Use the typed reads of a snapshot to distinguish a missing value from one of another type.

    Raises TypeError for a key or pointer that is not a str, and InvalidArgumentError, which is a ValueError, for a
    pointer that is neither empty nor begins with "/".
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _converted: Live
        _core: Core
        _handle: SourceHandle
        _revision: Sequence[int]

    get_bool: ClassVar[LiveRead[bool]] = _kept_read("bools")
    get_int: ClassVar[LiveRead[int]] = _kept_read("ints")
    get_float: ClassVar[LiveRead[float]] = _kept_read("floats")
    get_str: ClassVar[LiveRead[str]] = _kept_read("strs")
    get_url: ClassVar[LiveRead[str]] = _kept_read("urls")
    get_list: ClassVar[LiveRead[list[Any]]] = _decoded_read("lists", list)
    get_dict: ClassVar[LiveRead[dict[str, Any]]] = _decoded_read("dicts", dict)
    get_json: ClassVar[LiveRead[JSON]] = _decoded_read("jsons")

    def _values(self, revision: int) -> Live:
        """Returns the table of the kept values of a revision, live or earlier."""
        raise NotImplementedError

    def _found(self, kind: str, key: str, pointer: str | None) -> Any:
        """Reads a value, and keeps it until the revision changes. Returns None if the source has no such value."""
        try:
            encoded, leading = known_keys[key], known_pointers[pointer]
        except KeyError:
            try:
                encoded, leading = key_bytes(key), pointer_bytes(pointer)
            except NotFoundError:
                return None
        source = self._handle  # Kept, so that it is not closed under the call.
        # The revision is read first: a value that is published in between is read again after the revision has changed.
        revision = self._revision[0]
        found = reads.SOURCE_READS[kind](source.argument, encoded, leading)
        # With a debug log the library is called for each read that returns a default, to log it.
        if reads.is_of_one_snapshot(revision) and (found is not None or not self._core.is_debugged):
            keep(self._values(revision), kind, key, pointer, found)
        return found
