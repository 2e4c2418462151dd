# SPDX-License-Identifier: Apache-2.0
#
# The owner of the library's snapshot, and the cache of what was decoded from it. It ends with its last reference, so
# that nobody can close a snapshot under a reader.
"""The content of a snapshot."""

from __future__ import annotations

from .._ffi import reads
from ..values import decode_json
from .arguments import key_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .._ffi.structures import SnapshotInfo
    from ..values import JSON
    from .lifetimes import OpenSource


class Content(dict):  # type: ignore[type-arg]
    """The decoded values of one snapshot by key, made at their first use."""

    __slots__ = ("__weakref__", "_info", "_keys", "handle", "source")

    def __init__(self, handle: reads.SnapshotHandle, source: Callable[[], OpenSource | None]) -> None:
        self.handle = handle
        self.source = source
        """The source that it was taken from, as long as somebody else keeps that."""
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
