# SPDX-License-Identifier: Apache-2.0
"""Reading the live snapshot, for all kinds of sources.

The hot reads are `source["key"]` and `source.get_bool("key", "/pointer")`. Cached values belong to one snapshot. A
number in the library's memory, the revision, shows whether this snapshot is still live, so that a cached read needs no
call. The revision is read before the snapshot is acquired, so that no change is missed.
"""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.
from _collections_abc import Mapping  # `collections.abc` has them too, and takes longer to import.

from .._ffi import reads
from .._runtime.content import Content, Live
from .._runtime.data import public_name
from .._runtime.lifetimes import OpenSource
from .._runtime.live_reads import LiveReads
from .._runtime.typed_reads import Paths
from ..errors import ClosedError
from ..snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, ValuesView
    from typing import NoReturn, Sequence, TypeVar

    from .._ffi.calling import Handle
    from .._runtime.core import Core
    from .._runtime.data import JSON
    from .._runtime.keys import Key
    from .._runtime.receivers import Receiver
    from .._runtime.typed_reads import TypedReads
    from ..experiments import Experiment
    from ..reports import SourceInfo

    Self = TypeVar("Self", bound="Reads")

_NO_REVISION = (-1,)
"""The revision of a closed source. Negative means unknown, so that each read calls the library."""


_NO_CONTENT = Content(reads.SnapshotHandle(), lambda: None)
"""The content of a source that was not read yet, or is closed. It has no revision."""
_NO_VALUES = Live(None)
"""The converted values of a source that was not read yet, or is closed."""


class Reads(LiveReads, Paths, OpenSource, Mapping[str, "JSON"]):
    """The live values of a source: a mapping from keys to JSON values, which may change between two reads.

    Take a `snapshot` if several values must belong together. May be used in any thread. Reads do not block, except the
    first read in a forked child, which waits at most 50 ms and for file system calls. After `close`, reads raise
    ClosedError, and typed reads return their default.
    """

    __slots__ = ("_converted", "_live", "_revision")

    def __init__(self, client: object, core: Core, handle: Handle, first: Receiver | None) -> None:
        super().__init__(client, core, handle, first)
        self._live = _NO_CONTENT
        self._converted = _NO_VALUES
        self._revision: Sequence[int] = reads.revision_of(self._handle)

    def __getitem__(self, key: str) -> JSON:
        live = self._live
        if self._revision[0] == live.revision:
            return live[key]  # type: ignore[no-any-return]
        return self._content()[key]  # type: ignore[no-any-return]

    def __contains__(self, key: object) -> bool:
        return key in self.snapshot()

    def __iter__(self) -> Iterator[str]:
        return iter(self.snapshot())

    def __len__(self) -> int:
        return len(self.snapshot())

    def keys(self) -> KeysView[str]:
        """Returns the keys of the current snapshot, without later changes."""
        return self.snapshot().keys()

    def values(self) -> ValuesView[JSON]:
        """Returns the values of the current snapshot, without later changes."""
        return self.snapshot().values()

    def items(self) -> ItemsView[str, JSON]:
        """Returns the keys and values of the current snapshot, without later changes."""
        return self.snapshot().items()

    # Two sources are never equal: their values may change at any time.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def snapshot(self, unfiltered: bool = False) -> Snapshot:
        """Returns the live snapshot, whose values belong together. Raises ClosedError.

        With `unfiltered`, for tools, the snapshot has the data as it was received: with the records that filters hide,
        and without overrides.
        """
        if unfiltered:
            return Snapshot(Content(reads.acquire_unfiltered(self._using()), ref(self)))
        live = self._live
        return Snapshot(live if self._revision[0] == live.revision else self._content())

    @property
    def experiments(self) -> Mapping[str, Experiment]:
        """The A/B experiments of the live settings, by name. Raises ClosedError."""
        return self.snapshot().experiments

    def key(self, key: str, pointer: str | None = None) -> Key:
        """Returns a fast reader of a key, or of the part of its value at a JSON Pointer, to read in each frame.

            banner = settings.key("banner", "/text")
            while draw(banner.get_str(default="")): ...

        The source need not have the key yet. Does not block. Raises InvalidArgumentError for an invalid key or a
        malformed pointer, TypeError or ValueError for a wrong argument, and ClosedError.
        """
        from .._runtime.keys import Key  # Later: most programs do not use it.

        return Key(self, key, pointer)

    def _now(self) -> TypedReads:
        return self.snapshot()

    _HOW_TO_OVERRIDE = (
        "settings.overrides.set({0!r}, value) overrides the value, del settings.overrides[{0!r}] clears the override"
    )

    if not TYPE_CHECKING:  # Type checkers refuse both themselves.

        def __setitem__(self, key, value):
            self._refuse(key)

        def __delitem__(self, key):
            self._refuse(key)

    def _refuse(self, key: object) -> NoReturn:
        raise TypeError(f"{public_name(self)} is read-only: {self._HOW_TO_OVERRIDE.format(key)}")

    @property
    def change_count(self) -> int:
        """The number of times that another snapshot has become live since the source was opened; 0 after `close`.

        Compare it with an earlier count to see whether a result that was computed from the values is still valid. Read
        the count before the values.
        """
        handle = self._handle
        return reads.change_count(handle.argument)

    def info(self) -> SourceInfo:
        """Returns the state of the source. Reads a small file. Raises ClosedError."""
        from ..reports import info_from  # Later: most programs do not use it.

        return info_from(reads.source_info(self._using()))

    def close(self) -> None:
        """Closes the source, its subscriptions, and its requests in the background. A second call does nothing.

        Waits for a callback of the source that is running on another thread. If another thread is inside a call of the
        source, `close` returns, and the source is closed when that call returns.
        """
        self._revision = _NO_REVISION
        self._live = _NO_CONTENT
        self._converted = _NO_VALUES
        self._end()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        described = self._described()
        try:
            snapshot = self.snapshot()
        except ClosedError:
            return f"<{public_name(self)}{described} closed>"
        return f"<{public_name(self)}{described} version={snapshot.version} origin={snapshot.origin.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a source cannot be pickled or copied: open it in the other process")

    def _values(self, revision: int) -> Live:
        """Returns the table of the kept values of a revision, live or earlier."""
        live = self._converted
        if live.revision != revision:
            live = self._converted = Live(revision)
        return live

    def _content(self) -> Content:
        """Acquires the live snapshot, and keeps its content until the revision changes."""
        source = self._using()
        revision = self._revision[0]
        content = Content(reads.acquire(source), ref(self), revision)
        if reads.is_of_one_snapshot(revision):
            self._live = content
        return content
