# SPDX-License-Identifier: Apache-2.0
"""Bound keys, for many reads of one value. Imported at its first use. A key keeps each value that it has read, together
with the revision of the source. While the revision is the same, a read is a comparison without a call.
"""

from __future__ import annotations

from .._ffi import keys, reads
from .arguments import text
from .content import reader
from .data import parse_json, public_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NoReturn, Protocol, TypeVar, overload

    from .data import JSON

    T = TypeVar("T")
    V = TypeVar("V", covariant=True)

    class KeyRead(Protocol[V]):
        """A typed read of a bound key."""

        @overload
        def __call__(self) -> V | None: ...
        @overload
        def __call__(self, default: T) -> V | T: ...


_UNREAD: tuple[int | None, Any] = (None, None)
"""The kept value of a key before its first read. No revision equals None, so the read calls the library."""


class _NoSource:
    """Replaces the source of a closed key: its revision is unknown, so that each read calls the library."""

    _revision = (-1,)


def _read(kind: str) -> Any:
    """Creates a getter, such as `get_int` for "ints"."""

    slot = f"_{kind}"

    def read(self: Key, default: Any = None) -> Any:
        revision, found = getattr(self, slot)
        if self._source._revision[0] != revision:
            found = self._found(kind)
        return default if found is None else found

    return reader(read, "Key", kind)


class Key:
    """A bound key: one place in a source that is read very often, such as in each frame. Created by `Source.key`.

        with settings.key("banner", "/text") as text:
            print(text.get_str(default="Hello"))

    A read searches for the value only if the data of the source has changed since the last read. It returns `default`
    if the value is missing, null or of another type, and after the key or the client is closed. Reads never raise and
    never wait.

    May be used in any thread. A key keeps its source and client open, and remains readable after the source is closed.
    The key is released by `close`, at the end of a `with` block, or with its last reference.
    """

    __slots__ = (
        "__weakref__", "_bools", "_floats", "_handle", "_ints", "_jsons", "_key", "_pointer", "_source", "_strs", "_urls",
    )  # fmt: skip

    def __init__(self, source: Any, key: str, pointer: str | None) -> None:
        for what, value in (("key", key), ("pointer", "" if pointer is None else pointer)):
            if not isinstance(value, str):
                raise TypeError(f"{what} must be str, not {type(value).__name__}")
        self._handle = keys.bind(source._using(), text("key", key) or b"", text("pointer", pointer))
        self._source = source
        # Pairs, so that threads see both a revision and its value.
        self._bools = self._ints = self._floats = self._strs = self._urls = self._jsons = _UNREAD
        self._key = key
        self._pointer = pointer or ""

    get_bool: ClassVar[KeyRead[bool]] = _read("bools")
    get_int: ClassVar[KeyRead[int]] = _read("ints")
    get_float: ClassVar[KeyRead[float]] = _read("floats")
    get_str: ClassVar[KeyRead[str]] = _read("strs")
    get_url: ClassVar[KeyRead[str]] = _read("urls")
    get_json: ClassVar[KeyRead[JSON]] = _read("jsons")

    @property
    def change_count(self) -> int:
        """A counter that increases if the value has changed since `change_count` was last read; 0 after `close`.

        Compare it with an earlier count to see whether a result that was computed from the value is still valid.
        """
        handle = self._handle
        return int(keys.key_change_count(handle.argument))

    @property
    def closed(self) -> bool:
        """Whether the key was closed."""
        return self._handle is keys.CLOSED_KEY

    def close(self) -> None:
        """Releases the key: reads return their default from then on. A second call does nothing."""
        self._handle = keys.CLOSED_KEY
        self._source = _NoSource

    def __enter__(self) -> Key:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        source = self._source
        end = " closed" if self.closed else source._described()
        return f"<{public_name(self)} {self._key!r} {self._pointer!r}{end}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Key cannot be pickled or copied: create a new Key in the other process")

    def _found(self, kind: str) -> Any:
        """Reads the live value, and keeps it until the revision changes.

        Returns None if the source has no such value.
        """
        source, handle = self._source, self._handle  # Kept, so that it is not released under the call.
        revision = source._revision[0]
        found = keys.KEY_READS[kind](handle)
        if kind == "jsons" and found is not None:
            found = parse_json(found)
        # With a debug log the library is called for each read that returns a default, to log it.
        if reads.is_of_one_snapshot(revision) and (found is not None or not source._core.is_debugged):
            setattr(self, f"_{kind}", (revision, found))
        return found
