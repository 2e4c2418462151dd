# SPDX-License-Identifier: Apache-2.0
"""Caches of values that were read: of a snapshot (`Content`, which also owns the library's snapshot), and of a source
until its live snapshot changes (`Live`). A snapshot is released with its last reference, so that it cannot be closed
during a read.
"""

from __future__ import annotations

from .._ffi import reads
from .arguments import key_bytes
from .data import decode_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Optional

    from .._ffi.structures import SnapshotInfo
    from .data import JSON
    from .lifetimes import OpenSource

    Kept = dict[Optional[str], dict[str, Any]]
    """Converted values by JSON Pointer, then by key. This is faster than a table of pairs: most pointers recur."""

_MOST_KEPT = 1 << 15
"""The maximum number of converted values that are kept."""
_MOST_CHARACTERS = 256
"""The maximum length of a key, pointer or string that is kept."""

_NOTHING: Kept = {}
"""The table of every `Content` that has kept no value yet; always empty."""

_TABLES = ("room", "bools", "floats", "ints", "strs", "urls")

_READS = {
    "bools": ("get_bool", "bool", "Reads a boolean."),
    "ints": ("get_int", "int", "Reads an integer, or a number that converts exactly to an integer, such as 2.0."),
    "floats": ("get_float", "float", "Reads a number that converts exactly to a double."),
    "strs": ("get_str", "str", "Reads a string."),
    "urls": ("get_url", "str", 'Reads an absolute URI of any scheme, such as "app://editor". Check the scheme first.'),
    "lists": ("get_list", "list[Any]", "Reads an array, as a read-only `list`."),
    "dicts": ("get_dict", "dict[str, Any]", "Reads an object, as a read-only `dict`."),
    "jsons": ("get_json", "JSON", "Reads a value of any type except null, decoded."),
}
"""The getter of each kind of value: its name, the type of its result, and its documentation."""


def reader(read: Any, owner: str, kind: str) -> Any:
    """Names and documents a function as the getter of a class for one kind of value, such as "bools"."""
    name, result, text = _READS[kind]
    read.__name__, read.__qualname__, read.__doc__ = name, f"{owner}.{name}", text
    read.__annotations__ = {**read.__annotations__, "return": f"{result} | T"}
    return read


def keep(tables: Any, kind: str, key: str, pointer: str | None, value: Any) -> None:
    """Keeps a converted value in the table of a kind, if there is room for it.

    The value None stands for "no value of this type". Never keep a default, which belongs to one caller.
    """
    # Only exact types, because a subclass of str may compare differently.
    if tables.room <= 0 or type(key) is not str or len(key) > _MOST_CHARACTERS:
        return
    if pointer is not None and (type(pointer) is not str or len(pointer) > _MOST_CHARACTERS):
        return
    if type(value) is str and len(value) > _MOST_CHARACTERS:
        return
    tables.room -= 1
    kept: Kept = getattr(tables, kind)
    if kept is _NOTHING:
        kept = {}
        setattr(tables, kind, kept)
    kept.setdefault(pointer, {})[key] = value


class Live:
    """The converted values of a source at one revision; the revision is None before the first read."""

    __slots__ = (*_TABLES, "revision")

    def __init__(self, revision: int | None) -> None:
        self.bools = self.ints = self.floats = self.strs = self.urls = _NOTHING
        self.room = _MOST_KEPT
        self.revision = revision


class Content(dict):  # type: ignore[type-arg]
    """The values of one snapshot that were read: decoded values by key, and tables of converted values."""

    __slots__ = (*_TABLES, "__weakref__", "_info", "_keys", "handle", "revision", "source")

    def __init__(
        self, handle: reads.SnapshotHandle, source: Callable[[], OpenSource | None], revision: int | None = None
    ) -> None:
        self.bools = self.ints = self.floats = self.strs = self.urls = _NOTHING
        self.room = _MOST_KEPT
        self.handle = handle
        self.source = source
        """Returns the source of the snapshot, or None if nothing else keeps the source."""
        self.revision = revision
        """The revision of the source when this was its live snapshot; negative or None: unknown."""
        self._keys: tuple[str, ...] | None = None
        self._info: SnapshotInfo | None = None

    def __missing__(self, key: str) -> JSON:
        value = self[key] = decode_json(reads.value_text(reads.find(self.handle, key_bytes(key))))
        return value

    def record_fields(self, key: str) -> JSON:
        """Returns the members of a record except those that every record has."""
        return decode_json(reads.record_fields_text(reads.find(self.handle, key_bytes(key))))

    @property
    def info(self) -> SnapshotInfo:
        if self._info is None:
            self._info = reads.snapshot_info(self.handle)
        return self._info

    @property
    def keys_in_order(self) -> tuple[str, ...]:
        """The keys in the order of their bytes."""
        if self._keys is None:
            self._keys = tuple(reads.keys(self.handle))
        return self._keys
