# SPDX-License-Identifier: Apache-2.0
#
# Places in a source that are bound for many reads. Imported at its first use. A key keeps each value that it has read with
# the revision of the source; while the revision is the same, a read is one load and a comparison, without a call.
"""Bound keys."""

from __future__ import annotations

from .._ffi import keys
from .arguments import text
from .data import overload, public_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    from .._ffi.keys import KeyHandle

    T = TypeVar("T")

_UNREAD: tuple[int | None, Any] = (None, None)
"""Stands for a value that was not read yet: no revision equals None."""


class _NoSource:
    """Stands for the source of a closed key: its revision is unknown, so that the library is called."""

    _revision = (-1,)


class Key:
    """A place in a source that is bound, to be read often, such as for each frame or packet. Made by `Source.key`.

        with settings.key("banner", "/text") as text:
            print(text.get_str(default="Hello"))

    Reads return the live value, and do not look it up again as long as nothing is published. They return `default` if
    there is no value, for null, for a value that does not convert exactly, and after `close` of the key or client.
    They never raise and never wait.

    Every method may be called in every thread. A key keeps its source and client open, and remains readable after the
    source was closed. It is released by `close`, at the end of a `with` block, or with its last reference.
    """

    __slots__ = ("__weakref__", "_bool", "_float", "_handle", "_int", "_key", "_pointer", "_source", "_str")

    def __init__(self, source: Any, key: str, pointer: str | None) -> None:
        for what, value in (("key", key), ("pointer", "" if pointer is None else pointer)):
            if not isinstance(value, str):
                raise TypeError(f"{what} must be str, not {type(value).__name__}")
        self._handle = keys.bind(source._using(), text("key", key) or b"", text("pointer", pointer))
        self._source = source
        # Pairs, so that threads see both a revision and its value.
        self._bool = self._int = self._float = self._str = _UNREAD
        self._key = key
        self._pointer = pointer or ""

    @overload
    def get_bool(self) -> bool | None: ...
    @overload
    def get_bool(self, default: T) -> bool | T: ...
    def get_bool(self, default: Any = None) -> Any:
        """Reads a boolean."""
        revision, found = self._bool
        if self._source._revision[0] != revision:
            found = self._read("_bool", keys.key_bool)
        return default if found is None else found

    @overload
    def get_int(self) -> int | None: ...
    @overload
    def get_int(self, default: T) -> int | T: ...
    def get_int(self, default: Any = None) -> Any:
        """Reads an integer, or a number that is exactly one."""
        revision, found = self._int
        if self._source._revision[0] != revision:
            found = self._read("_int", keys.key_int)
        return default if found is None else found

    @overload
    def get_float(self) -> float | None: ...
    @overload
    def get_float(self, default: T) -> float | T: ...
    def get_float(self, default: Any = None) -> Any:
        """Reads a number that is exactly a double."""
        revision, found = self._float
        if self._source._revision[0] != revision:
            found = self._read("_float", keys.key_float)
        return default if found is None else found

    @overload
    def get_str(self) -> str | None: ...
    @overload
    def get_str(self, default: T) -> str | T: ...
    def get_str(self, default: Any = None) -> Any:
        """Reads a string."""
        revision, found = self._str
        if self._source._revision[0] != revision:
            found = self._read("_str", keys.key_str)
        return default if found is None else found

    @property
    def change_count(self) -> int:
        """How often the value was found to have changed since the key was bound; 0 after `close`.

        Compare it with the last one, to compute something from the value only when necessary. Changes between two looks
        count as one.
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

    def _read(self, name: str, read: Callable[[KeyHandle], Any]) -> Any:
        """Reads the live value, and keeps it until the revision changes. Returns None if there is no such value."""
        source, handle = self._source, self._handle  # Kept, so that it is not released under the call.
        revision = source._revision[0]
        found = read(handle)
        # With a debug log the library is called for each read that returns a default, so that it logs them.
        if revision >= 0 and (found is not None or not source._core.is_debugged):
            setattr(self, name, (revision, found))
        return found
