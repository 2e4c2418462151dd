# SPDX-License-Identifier: Apache-2.0
#
# Reads of one value of the live snapshot, which go to the library without decoding anything else.
"""Typed reads of a source."""

from __future__ import annotations

from .._ffi.reads import (
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
from ..errors import NotFoundError
from ..values import overload, parse_json
from .arguments import key_bytes, known_keys, known_pointers, pointer_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from ..values import JSON
    from .lifetimes import SourceHandle

    T = TypeVar("T")


class LiveReads:
    """Reads of one live value each.

    They never raise because of the data: they return `default`, unchanged, if there is no value, for null, for a value
    that does not convert exactly (2.0 is an int, 1.5 is not; a bool is not a number), and after `close`. A key or
    pointer that is not a str is a TypeError. The typed reads of a snapshot distinguish a missing value from one of
    another type.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _handle: SourceHandle

    @overload
    def get_bool(self, key: str, pointer: str | None = None) -> bool | None: ...
    @overload
    def get_bool(self, key: str, pointer: str | None = None, *, default: T) -> bool | T: ...
    @overload
    def get_bool(self, key: str, pointer: str | None, default: T) -> bool | T: ...
    def get_bool(self, key: str, pointer: str | None = None, default: Any = None) -> Any:
        """Reads a boolean."""
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
        """Reads an integer, or a number that is exactly one."""
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
            # No value, or this very number: a second default shows which.
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
        """Reads a number that is exactly a double."""
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
        """Reads a string."""
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
        """Reads a string that is an absolute URI of any scheme, such as "app://editor". Check the scheme before use."""
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
            found = source_json(source.argument, key_bytes(key), pointer_bytes(pointer))
        except NotFoundError:
            return default
        return default if found is None else parse_json(found)
