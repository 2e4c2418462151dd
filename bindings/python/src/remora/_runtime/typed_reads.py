# SPDX-License-Identifier: Apache-2.0
"""Reads of one value of a snapshot: by a path, and by type."""

from __future__ import annotations

from .._ffi import reads
from ..errors import NotFoundError, WrongTypeError, not_found, wrong_type
from .arguments import key_bytes, named_options, pointer_bytes, pointer_of
from .content import reader, keep
from .data import decode_json, overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Literal, Protocol, TypeVar, Union

    from .content import Content
    from .data import JSON

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")
    R = TypeVar("R", covariant=True)
    Step = Union[str, int]

    class TypedRead(Protocol[R]):
        """A typed read of a snapshot."""

        @overload
        def __call__(self, key: str, pointer: str | None = None) -> R: ...
        @overload
        def __call__(self, key: str, pointer: str | None = None, *, default: T) -> R | T: ...
        @overload
        def __call__(self, key: str, pointer: str | None, default: T) -> R | T: ...


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

        The steps of the path are names of members and indexes of elements. A single step that begins with "/" is a
        JSON Pointer (RFC 6901), such as "/colors/0". `type` is bool, int, float, str, list, dict, or "url" for an
        absolute URI. Without `type` the value may have any type.

        Raises NotFoundError if the value is missing, or is null and `type` is set, and WrongTypeError if the value has
        another type. With a default, `at` returns the default instead, also for null. Raises InvalidArgumentError for a
        malformed pointer.
        """
        snapshot, pointer = self._now(), pointer_of(path)
        if type is None:
            return snapshot._at(key, pointer, default)
        return read_of(type)(snapshot, key, pointer, default)

    def _now(self) -> TypedReads:
        """Returns the snapshot to read from."""
        raise NotImplementedError


def _kept_read(kind: str) -> Any:
    """Creates a getter, such as `get_int` for "ints", which keeps its values."""

    def read(self: TypedReads, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        try:
            found = getattr(self._content, kind)[pointer][key]
        except KeyError:
            found = None
        return self._typed(kind, key, pointer, default) if found is None else found

    return reader(read, "TypedReads", kind)


def _decoded_read(kind: str, type: type = object) -> Any:
    """Creates a getter, such as `get_list` for "lists", which decodes JSON."""

    def read(self: TypedReads, key: str, pointer: str | None = None, default: Any = REQUIRED) -> Any:
        try:
            value = self[key] if pointer is None else self._at(key, pointer)
            if value is None:
                raise not_found(key if pointer is None else key + pointer)
            if not isinstance(value, type):
                raise wrong_type(f"the value of {key!r} is {value.__class__.__name__}, not {type.__name__}")
        except (NotFoundError, WrongTypeError):
            if default is REQUIRED:
                raise
            return default
        return value

    return reader(read, "TypedReads", kind)


class TypedReads(Paths):
    """Typed reads of a snapshot.

    A read with a `default` returns the default if the value is missing, null or of another type. Without a `default`, a
    read raises NotFoundError or WrongTypeError. Numbers convert only if the conversion is exact: 2.0 is an int, 1.5 is
    not. A bool is not a number.

    Raises TypeError for a key or pointer that is not a str, and InvalidArgumentError for a malformed pointer.
    """

    __slots__ = ()

    if TYPE_CHECKING:
        _content: Content

        def __getitem__(self, key: str) -> JSON: ...

    get_bool: ClassVar[TypedRead[bool]] = _kept_read("bools")
    get_int: ClassVar[TypedRead[int]] = _kept_read("ints")
    get_float: ClassVar[TypedRead[float]] = _kept_read("floats")
    get_str: ClassVar[TypedRead[str]] = _kept_read("strs")
    get_url: ClassVar[TypedRead[str]] = _kept_read("urls")
    get_list: ClassVar[TypedRead[list[Any]]] = _decoded_read("lists", list)
    get_dict: ClassVar[TypedRead[dict[str, Any]]] = _decoded_read("dicts", dict)
    get_json: ClassVar[TypedRead[JSON]] = _decoded_read("jsons")

    def _now(self) -> TypedReads:
        return self

    def _at(self, key: str, pointer: str | None, default: Any = REQUIRED) -> Any:
        try:
            leading = pointer_bytes(pointer)  # First, because a malformed pointer is an error even for a missing key.
            value = reads.value_at(reads.find(self._content.handle, key_bytes(key)), leading)
        except NotFoundError:
            if default is REQUIRED:
                raise
            return default
        found = decode_json(reads.value_text(value))
        return default if found is None and default is not REQUIRED else found

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
"""The getter of each type that a caller can choose."""


def read_of(kind: object) -> Any:
    """Returns the getter of a type. Raises TypeError for a type that no value has."""
    if not isinstance(kind, (type, str)) or kind not in READS:
        raise TypeError('type must be bool, int, float, str, list, dict or "url"')
    return READS[kind]
