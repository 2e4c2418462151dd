# SPDX-License-Identifier: Apache-2.0
#
# Reads of one value of a snapshot: by a JSON Pointer, and by type.
"""Reads of one value."""

from __future__ import annotations

from .._ffi import reads
from ..errors import NotFoundError, WrongTypeError, not_found, wrong_type
from .arguments import key_bytes, named_options, pointer_bytes, pointer_of
from .content import keep
from .data import decode_json, overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar, Union

    from .content import Content
    from .data import JSON

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")
    Step = Union[str, int]

REQUIRED: Any = object()
"""Stands for "no default": a missing value raises."""


class Paths:
    """Reads of a value by its path."""

    __slots__ = ()

    @overload
    def at(self, key: str, *path: Step) -> Any: ...
    @overload
    def at(self, key: str, *path: Step, default: object) -> Any: ...
    @overload
    def at(self, key: str, *path: Step, type: Literal["url"]) -> str: ...
    @overload
    def at(self, key: str, *path: Step, type: Literal["url"], default: T) -> str | T: ...
    @overload
    def at(self, key: str, *path: Step, type: type[V]) -> V: ...
    @overload
    def at(self, key: str, *path: Step, type: type[V], default: T) -> V | T: ...
    @named_options
    def at(self, key: str, *path: Step, default: Any = REQUIRED, type: Any = None) -> Any:
        """Returns the value at a path inside the value of a key.

            text = snapshot.at("banner", "text", type=str)
            color = snapshot.at("banner", "colors", 0, type=str, default="teal")

        The steps of the path are names of members and indexes of elements; a single step that begins with "/" is a
        JSON Pointer (RFC 6901), such as "/colors/0". `type` is bool, int, float, str, list, dict, or "url" for an
        absolute URI; without it the value may have any type.

        A missing value, and with `type` a null, raises NotFoundError, a value of another type WrongTypeError; with a
        default all of them return it. A malformed pointer raises InvalidArgumentError.
        """
        snapshot, pointer = self._now(), pointer_of(path)
        if type is None:
            return snapshot._at(key, pointer, default)
        return read_of(type)(snapshot, key, pointer, default)

    def _now(self) -> TypedReads:
        """Returns the snapshot to read from."""
        raise NotImplementedError


class TypedReads(Paths):
    """Reads of one value each, as its own type or as a type that the caller chooses.

    With a default they return it if there is no value, for null, and for a value that does not convert exactly (2.0 is
    an int, 1.5 is not; a bool is not a number). Without a default they raise NotFoundError or WrongTypeError. A key or
    pointer that is not a str is a TypeError. A malformed pointer raises InvalidArgumentError.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _content: Content

        def __getitem__(self, key: str) -> JSON: ...

    def _now(self) -> TypedReads:
        return self

    def _at(self, key: str, pointer: str | None, default: Any = REQUIRED) -> Any:
        try:
            leading = pointer_bytes(pointer)  # First: a malformed pointer is an error even if the key does not exist.
            value = reads.value_at(reads.find(self._content.handle, key_bytes(key)), leading)
        except NotFoundError:
            if default is REQUIRED:
                raise
            return default
        return decode_json(reads.value_text(value))

    @overload
    def get_bool(self, key: str, pointer: str | None = None) -> bool: ...
    @overload
    def get_bool(self, key: str, pointer: str | None = None, *, default: T) -> bool | T: ...
    @overload
    def get_bool(self, key: str, pointer: str | None, default: T) -> bool | T: ...
    def get_bool(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads a boolean."""
        try:
            found = self._content.bools[pointer][key]
        except KeyError:
            found = None
        return self._typed("bools", key, pointer, default) if found is None else found

    @overload
    def get_int(self, key: str, pointer: str | None = None) -> int: ...
    @overload
    def get_int(self, key: str, pointer: str | None = None, *, default: T) -> int | T: ...
    @overload
    def get_int(self, key: str, pointer: str | None, default: T) -> int | T: ...
    def get_int(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads an integer, or a number that is exactly one."""
        try:
            found = self._content.ints[pointer][key]
        except KeyError:
            found = None
        return self._typed("ints", key, pointer, default) if found is None else found

    @overload
    def get_float(self, key: str, pointer: str | None = None) -> float: ...
    @overload
    def get_float(self, key: str, pointer: str | None = None, *, default: T) -> float | T: ...
    @overload
    def get_float(self, key: str, pointer: str | None, default: T) -> float | T: ...
    def get_float(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads a number that is exactly a double."""
        try:
            found = self._content.floats[pointer][key]
        except KeyError:
            found = None
        return self._typed("floats", key, pointer, default) if found is None else found

    @overload
    def get_str(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_str(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_str(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_str(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads a string."""
        try:
            found = self._content.strs[pointer][key]
        except KeyError:
            found = None
        return self._typed("strs", key, pointer, default) if found is None else found

    @overload
    def get_url(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_url(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_url(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_url(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads a string that is an absolute URI of any scheme, such as "app://editor". Check the scheme before use."""
        try:
            found = self._content.urls[pointer][key]
        except KeyError:
            found = None
        return self._typed("urls", key, pointer, default) if found is None else found

    @overload
    def get_list(self, key: str, pointer: str | None = None) -> list[Any]: ...
    @overload
    def get_list(self, key: str, pointer: str | None = None, *, default: T) -> list[Any] | T: ...
    @overload
    def get_list(self, key: str, pointer: str | None, default: T) -> list[Any] | T: ...
    def get_list(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads an array, as a read-only `list`."""
        return self._decoded(list, key, pointer, default)

    @overload
    def get_dict(self, key: str, pointer: str | None = None) -> dict[str, Any]: ...
    @overload
    def get_dict(self, key: str, pointer: str | None = None, *, default: T) -> dict[str, Any] | T: ...
    @overload
    def get_dict(self, key: str, pointer: str | None, default: T) -> dict[str, Any] | T: ...
    def get_dict(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads an object, as a read-only `dict`."""
        return self._decoded(dict, key, pointer, default)

    @overload
    def get_json(self, key: str, pointer: str | None = None) -> JSON: ...
    @overload
    def get_json(self, key: str, pointer: str | None = None, *, default: T) -> JSON | T: ...
    @overload
    def get_json(self, key: str, pointer: str | None, default: T) -> JSON | T: ...
    def get_json(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """Reads a value of any type but null, decoded."""
        return self._decoded(object, key, pointer, default)

    def _decoded(self, kind: type[Any], key: str, pointer: str | None, default: Any) -> Any:
        try:
            value = self[key] if pointer is None else self._at(key, pointer)
            if value is None:
                raise not_found(key if pointer is None else key + pointer)
            if not isinstance(value, kind):
                raise wrong_type(f"the value of {key!r} is {type(value).__name__}, not {kind.__name__}")
        except (NotFoundError, WrongTypeError):
            if default is REQUIRED:
                raise
            return default
        return value

    def _typed(self, kind: str, key: str, pointer: str | None, default: Any) -> Any:
        content = self._content
        try:
            encoded, leading = key_bytes(key), pointer_bytes(pointer)
            found = reads.snapshot_value(kind, content.handle, encoded, leading)
            if found is None:
                reads.require_snapshot_value(kind, content.handle, encoded, leading)
        except (NotFoundError, WrongTypeError):
            if default is REQUIRED:
                raise
            return default
        keep(content, kind, key, pointer, found)
        return found


READS: dict[Any, Any] = {
    bool: TypedReads.get_bool,  # Before int, whose subclass it is.
    int: TypedReads.get_int,
    float: TypedReads.get_float,
    str: TypedReads.get_str,
    list: TypedReads.get_list,
    dict: TypedReads.get_dict,
    "url": TypedReads.get_url,
}
"""The read of each type that a caller can choose."""


def read_of(kind: object) -> Any:
    """Returns the read of a type. Raises TypeError for a type that no value has."""
    if not isinstance(kind, (type, str)) or kind not in READS:
        raise TypeError('type must be bool, int, float, str, list, dict or "url"')
    return READS[kind]
