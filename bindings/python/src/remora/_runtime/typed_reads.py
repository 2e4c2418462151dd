# SPDX-License-Identifier: Apache-2.0
#
# Reads of one value of a snapshot: by a JSON Pointer, and by type.
"""Reads of one value."""

from __future__ import annotations

from .._ffi import reads
from ..errors import NotFoundError, WrongTypeError, not_found, wrong_type
from ..values import decode_json, overload
from .arguments import key_bytes, pointer_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ..values import JSON
    from .content import Content

    T = TypeVar("T")

REQUIRED: Any = object()
"""Stands for "no default": what is missing raises."""


class TypedReads:
    """Reads of one value each, as its own type or as one that the caller asks for.

    With a default they return it where there is no value, null, or one that does not convert exactly (2.0 is an int, 1.5
    is not; a bool is no number). Without a default they raise NotFoundError or WrongTypeError. A key or pointer that is
    no str is a TypeError.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _content: Content

        def __getitem__(self, key: str) -> JSON: ...

    def at(self, key: str, pointer: str, default: Any = REQUIRED) -> Any:
        """The value that a JSON Pointer (RFC 6901) leads to inside the value of a key.

        Where there is none, `default`; without a default NotFoundError. A malformed pointer is InvalidArgumentError.
        """
        try:
            value = reads.value_at(reads.find(self._content.handle, key_bytes(key)), pointer_bytes(pointer))
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
        """A boolean."""
        return self._typed(reads.snapshot_bool, key, pointer, default)

    @overload
    def get_int(self, key: str, pointer: str | None = None) -> int: ...
    @overload
    def get_int(self, key: str, pointer: str | None = None, *, default: T) -> int | T: ...
    @overload
    def get_int(self, key: str, pointer: str | None, default: T) -> int | T: ...
    def get_int(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """An integer, or a number that is exactly one."""
        return self._typed(reads.snapshot_int, key, pointer, default)

    @overload
    def get_float(self, key: str, pointer: str | None = None) -> float: ...
    @overload
    def get_float(self, key: str, pointer: str | None = None, *, default: T) -> float | T: ...
    @overload
    def get_float(self, key: str, pointer: str | None, default: T) -> float | T: ...
    def get_float(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """A number that is exactly a double."""
        return self._typed(reads.snapshot_float, key, pointer, default)

    @overload
    def get_str(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_str(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_str(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_str(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """A string."""
        return self._typed(reads.snapshot_str, key, pointer, default)

    @overload
    def get_url(self, key: str, pointer: str | None = None) -> str: ...
    @overload
    def get_url(self, key: str, pointer: str | None = None, *, default: T) -> str | T: ...
    @overload
    def get_url(self, key: str, pointer: str | None, default: T) -> str | T: ...
    def get_url(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """A string that is an absolute URI of any scheme, such as "app://editor"; check the scheme before it is opened."""
        return self._typed(reads.snapshot_url, key, pointer, default)

    @overload
    def get_list(self, key: str, pointer: str | None = None) -> list[Any]: ...
    @overload
    def get_list(self, key: str, pointer: str | None = None, *, default: T) -> list[Any] | T: ...
    @overload
    def get_list(self, key: str, pointer: str | None, default: T) -> list[Any] | T: ...
    def get_list(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """An array, as a read-only `list`."""
        return self._decoded(list, key, pointer, default)

    @overload
    def get_dict(self, key: str, pointer: str | None = None) -> dict[str, Any]: ...
    @overload
    def get_dict(self, key: str, pointer: str | None = None, *, default: T) -> dict[str, Any] | T: ...
    @overload
    def get_dict(self, key: str, pointer: str | None, default: T) -> dict[str, Any] | T: ...
    def get_dict(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        """An object, as a read-only `dict`."""
        return self._decoded(dict, key, pointer, default)

    @overload
    def get_json(self, key: str, pointer: str | None = None) -> JSON: ...
    @overload
    def get_json(self, key: str, pointer: str | None = None, *, default: T) -> JSON | T: ...
    @overload
    def get_json(self, key: str, pointer: str | None, default: T) -> JSON | T: ...
    def get_json(self, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
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
            if default is REQUIRED:
                raise
            return default
        return value

    def _typed(self, read: Callable[..., Any], key: str, pointer: str | None, default: Any) -> Any:
        try:
            return read(self._content.handle, key_bytes(key), pointer_bytes(pointer))
        except (NotFoundError, WrongTypeError):
            if default is REQUIRED:
                raise
            return default
