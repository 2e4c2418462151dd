# SPDX-License-Identifier: Apache-2.0
#
# Places in a source that are bound for many reads. Imported at its first use.
"""Bound keys."""

from __future__ import annotations

from .._ffi import keys
from .._ffi.reads import BOOL_MARK, INT_MARK, INT_MARK_VALUE, NAN, ZERO
from ..values import overload, public_name
from .arguments import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeVar

    from .lifetimes import OpenSource

    T = TypeVar("T")


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

    __slots__ = ("__weakref__", "_handle", "_key", "_pointer", "_source")

    def __init__(self, source: OpenSource, key: str, pointer: str | None) -> None:
        for what, value in (("key", key), ("pointer", "" if pointer is None else pointer)):
            if not isinstance(value, str):
                raise TypeError(f"{what} must be str, not {type(value).__name__}")
        self._handle = keys.bind(source._using(), text("key", key) or b"", text("pointer", pointer))
        self._source: OpenSource | None = source
        self._key = key
        self._pointer = pointer or ""

    @overload
    def get_bool(self) -> bool | None: ...
    @overload
    def get_bool(self, default: T) -> bool | T: ...
    def get_bool(self, default: Any = None) -> Any:
        """Reads a boolean."""
        handle = self._handle  # Kept, so that it is not released under the call.
        found = keys.key_bool(handle.argument, BOOL_MARK)
        return default if found == -1 else found == 1

    @overload
    def get_int(self) -> int | None: ...
    @overload
    def get_int(self, default: T) -> int | T: ...
    def get_int(self, default: Any = None) -> Any:
        """Reads an integer, or a number that is exactly one."""
        handle = self._handle
        found = keys.key_int(handle.argument, INT_MARK)
        if found != INT_MARK_VALUE:
            return found
        # No value, or this very number: a second default shows which.
        found = keys.key_int(handle.argument, ZERO)
        return default if found == 0 else found

    @overload
    def get_float(self) -> float | None: ...
    @overload
    def get_float(self, default: T) -> float | T: ...
    def get_float(self, default: Any = None) -> Any:
        """Reads a number that is exactly a double."""
        handle = self._handle
        found = keys.key_double(handle.argument, NAN)
        return default if found != found else found  # JSON has no NaN.

    @overload
    def get_str(self) -> str | None: ...
    @overload
    def get_str(self, default: T) -> str | T: ...
    def get_str(self, default: Any = None) -> Any:
        """Reads a string."""
        handle = self._handle
        found = keys.key_str(handle.argument)
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
        return self._source is None

    def close(self) -> None:
        """Releases the key: reads return their default from then on. A second call does nothing."""
        self._handle = keys.CLOSED_KEY
        self._source = None

    def __enter__(self) -> Key:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        source = self._source
        end = " closed" if source is None else source._described()
        return f"<{public_name(self)} {self._key!r} {self._pointer!r}{end}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Key cannot be pickled or copied: bind the place in the other process")
