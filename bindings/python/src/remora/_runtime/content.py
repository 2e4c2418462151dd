# SPDX-License-Identifier: Apache-2.0
#
# The owner of the library's snapshot, and the caches of values that were read: decoded ones belong to a snapshot, and
# converted ones to a snapshot or to a revision of a source. A snapshot ends with its last reference, so that nobody can
# close one under a reader.
"""The content of a snapshot."""

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
    """Converted values by JSON Pointer, then by key: faster than one table of pairs, because most pointers recur."""

_MOST_KEPT = 1 << 15
"""How many converted values a content keeps."""
_MOST_CHARACTERS = 256
"""The longest key, pointer and string that is kept."""

_NOTHING: Kept = {}
"""Stands for every empty table, and stays empty: most contents never have one of their own."""


_TABLES = ("room", "bools", "floats", "ints", "strs", "urls")


def keep(tables: Any, kind: str, key: str, pointer: str | None, value: Any) -> None:
    """Keeps a converted value in the table of a kind, if there is room for it.

    None stands for "no value of this type". Defaults belong to callers, and must not be kept.
    """
    # Of exact types: a subclass of str may compare as it likes.
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
    """The converted values of a source at one revision; the revision is None for an empty stand-in."""

    __slots__ = (*_TABLES, "revision")

    def __init__(self, revision: int | None) -> None:
        self.bools = self.ints = self.floats = self.strs = self.urls = _NOTHING
        self.room = _MOST_KEPT
        self.revision = revision


class Content(dict):  # type: ignore[type-arg]
    """The values of one snapshot: decoded by key, and converted, as they were read."""

    __slots__ = (*_TABLES, "__weakref__", "_info", "_keys", "handle", "revision", "source")

    def __init__(
        self, handle: reads.SnapshotHandle, source: Callable[[], OpenSource | None], revision: int | None = None
    ) -> None:
        self.bools = self.ints = self.floats = self.strs = self.urls = _NOTHING
        self.room = _MOST_KEPT
        self.handle = handle
        self.source = source
        """The source that it was taken from, as long as somebody else keeps that."""
        self.revision = revision
        """The revision of the source when this was its live snapshot, negative or None if unknown."""
        self._keys: tuple[str, ...] | None = None
        self._info: SnapshotInfo | None = None

    def __missing__(self, key: str) -> JSON:
        value = self[key] = decode_json(reads.value_text(reads.find(self.handle, key_bytes(key))))
        return value

    def record_fields(self, key: str) -> JSON:
        """What the record of a key says beside what every record has."""
        return decode_json(reads.record_fields_text(reads.find(self.handle, key_bytes(key))))

    @property
    def info(self) -> SnapshotInfo:
        """What the snapshot is."""
        if self._info is None:
            self._info = reads.snapshot_info(self.handle)
        return self._info

    @property
    def keys_in_order(self) -> tuple[str, ...]:
        """The keys in the order of their bytes."""
        if self._keys is None:
            self._keys = tuple(reads.keys(self.handle))
        return self._keys
