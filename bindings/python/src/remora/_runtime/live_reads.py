# SPDX-License-Identifier: Apache-2.0
#
# Reads of one value of the live snapshot. The first read of a place is one call into the library, and keeps the value;
# while the revision is the same, later reads are one load and two dictionary lookups. While the revision is unknown, each
# read is a call.
"""Typed reads of a source."""

from __future__ import annotations

from .._ffi import reads
from ..errors import NotFoundError
from .arguments import key_bytes, known_keys, known_pointers, pointer_bytes
from .content import keep
from .data import overload, parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    from .content import Live
    from .core import Core
    from .data import JSON
    from .lifetimes import SourceHandle

    T = TypeVar("T")


class LiveReads:
    """Reads of one live value each.

    They never raise because of the data: they return `default`, unchanged, if there is no value, for null, for a value
    that does not convert exactly (2.0 is an int, 1.5 is not; a bool is not a number), and after `close`. A key or
    pointer that is not a str is a TypeError. A pointer that is neither empty nor begins with "/" is a mistake of the
    program and raises InvalidArgumentError, which is a ValueError. The typed reads of a snapshot distinguish a missing value from one of
    another type.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _converted: Live
        _core: Core
        _handle: SourceHandle
        _revision: Sequence[int]

        def _values(self, revision: int) -> Live: ...

    @overload
    def get_bool(self, key: str, pointer: str | None = None) -> bool | None: ...
    @overload
    def get_bool(self, key: str, pointer: str | None = None, *, default: T) -> bool | T: ...
    @overload
    def get_bool(self, key: str, pointer: str | None, default: T) -> bool | T: ...
    def get_bool(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a boolean."""
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = live.bools[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found("bools", key, pointer)
        return default if found is None else found

    @overload
    def get_int(self, key: str, pointer: str | None = None) -> int | None: ...
    @overload
    def get_int(self, key: str, pointer: str | None = None, *, default: T) -> int | T: ...
    @overload
    def get_int(self, key: str, pointer: str | None, default: T) -> int | T: ...
    def get_int(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads an integer, or a number that is exactly one."""
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = live.ints[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found("ints", key, pointer)
        return default if found is None else found

    @overload
    def get_float(self, key: str, pointer: str | None = None) -> float | None: ...
    @overload
    def get_float(self, key: str, pointer: str | None = None, *, default: T) -> float | T: ...
    @overload
    def get_float(self, key: str, pointer: str | None, default: T) -> float | T: ...
    def get_float(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a number that is exactly a double."""
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = live.floats[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found("floats", key, pointer)
        return default if found is None else found

    @overload
    def get_str(self, key: str, pointer: str | None = None) -> str | None: ...
    @overload
    def get_str(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_str(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_str(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a string."""
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = live.strs[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found("strs", key, pointer)
        return default if found is None else found

    @overload
    def get_url(self, key: str, pointer: str | None = None) -> str | None: ...
    @overload
    def get_url(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_url(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_url(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a string that is an absolute URI of any scheme, such as "app://editor". Check the scheme before use."""
        live = self._converted
        if self._revision[0] == live.revision:
            try:
                found = live.urls[pointer][key]
                return default if found is None else found
            except KeyError:
                pass
        found = self._found("urls", key, pointer)
        return default if found is None else found

    @overload
    def get_list(self, key: str, pointer: str | None = None) -> list[Any] | None: ...
    @overload
    def get_list(self, key: str, pointer: str | None = None, *, default: T) -> list[Any] | T: ...
    @overload
    def get_list(self, key: str, pointer: str | None, default: T) -> list[Any] | T: ...
    def get_list(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads an array, as a read-only `list`."""
        found = self.get_json(key, pointer)
        return found if isinstance(found, list) else default

    @overload
    def get_dict(self, key: str, pointer: str | None = None) -> dict[str, Any] | None: ...
    @overload
    def get_dict(self, key: str, pointer: str | None = None, *, default: T) -> dict[str, Any] | T: ...
    @overload
    def get_dict(self, key: str, pointer: str | None, default: T) -> dict[str, Any] | T: ...
    def get_dict(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads an object, as a read-only `dict`."""
        found = self.get_json(key, pointer)
        return found if isinstance(found, dict) else default

    @overload
    def get_json(self, key: str, pointer: str | None = None) -> JSON: ...
    @overload
    def get_json(self, key: str, pointer: str | None = None, *, default: T) -> JSON | T: ...
    @overload
    def get_json(self, key: str, pointer: str | None, default: T) -> JSON | T: ...
    def get_json(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a value of any type but null, decoded."""
        source = self._handle  # Kept, so that it does not end under the call.
        try:
            found = reads.source_json(source.argument, key_bytes(key), pointer_bytes(pointer))
        except NotFoundError:
            return default
        return default if found is None else parse_json(found)

    def _found(self, kind: str, key: str, pointer: str | None) -> Any:
        """Reads a value, and keeps it until the revision changes. Returns None if there is no such value."""
        try:
            encoded, leading = known_keys[key], known_pointers[pointer]
        except KeyError:
            try:
                encoded, leading = key_bytes(key), pointer_bytes(pointer)
            except NotFoundError:
                return None
        source = self._handle  # Kept, so that it does not end under the call.
        # The revision is read first: a value that is published in between is read once more after the revision changed.
        revision = self._revision[0]
        found = reads.SOURCE_READS[kind](source.argument, encoded, leading)
        # With a debug log the library is called for each read that returns a default, so that it logs them.
        if revision >= 0 and (found is not None or not self._core.is_debugged):
            keep(self._values(revision), kind, key, pointer, found)
        return found
