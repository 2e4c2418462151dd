# SPDX-License-Identifier: Apache-2.0
"""The overrides of a source as mappings. Each read calls the library, so that all threads see the same overrides."""

from __future__ import annotations

from _collections_abc import Mapping, MutableMapping  # `collections.abc` has them too, and takes longer to import.

from ._ffi import handles, notifying
from ._runtime.arguments import json_text, text
from ._runtime.data import decode_json
from .errors import not_found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Union

    from ._ffi.calling import Handle
    from ._runtime.data import JSON

    Place = Union[str, tuple[str, str]]
    """A key, or a key and a JSON Pointer into its value."""


def place_of(place: object) -> tuple[bytes, bytes]:
    """Returns the key and the pointer of a place, encoded. A key alone means the key's whole value."""
    key, pointer = place if isinstance(place, tuple) and len(place) == 2 else (place, "")
    if not isinstance(key, str) or not isinstance(pointer, str):
        raise TypeError("an override is at a key, or at a key and a JSON Pointer, both str")
    return text("key", key) or b"", text("pointer", pointer) or b""


class OverridesView(Mapping["tuple[str, str]", "JSON"]):
    """The overrides of a source: a read-only mapping from places to values, sorted by key, then by pointer.

    A place is a tuple of a key and a JSON Pointer into its value, `""` for the whole value, or a key alone, which also
    means the whole value. Every read returns the current overrides, or raises ClosedError if the source is closed.
    """

    __slots__ = ("_using",)

    def __init__(self, using: Callable[[], Handle]) -> None:
        self._using = using

    def __getitem__(self, place: Place) -> JSON:
        key, pointer = place_of(place)
        for name, where, value in notifying.overrides(self._using()):
            if (name.encode(), where.encode()) == (key, pointer):
                return decode_json(value)
        raise not_found(f"override {key.decode()}{pointer.decode()}")

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter([(key, pointer) for key, pointer, _ in notifying.overrides(self._using())])

    def __len__(self) -> int:
        return len(notifying.overrides(self._using()))

    if not TYPE_CHECKING:  # Type checkers refuse both themselves.

        def __setitem__(self, place, value):
            raise TypeError(f"these overrides are read-only: await settings.set_override({place!r}, value) sets one")

        def __delitem__(self, place):
            raise TypeError(f"these overrides are read-only: await settings.clear_override({place!r}) clears one")

    def __repr__(self) -> str:
        return f"<remora.{type(self).__name__} {list(self)!r}>"


class Overrides(OverridesView, MutableMapping["tuple[str, str]", "JSON"]):
    """The overrides of a source: values of the program that take precedence over fetched values until they are cleared.

        source.overrides["banner", "/text"] = "mine"      # one member; missing objects on its path are created
        source.overrides["limits"] = {"max_uploads": 5}   # a whole value
        del source.overrides["banner"]                    # all overrides of a key
        source.overrides.clear()

    When an assignment returns, the value is live. Subscribers receive events with cause OVERRIDE. None sets JSON null,
    which hides the fetched value. Assigning to a place replaces all overrides at or inside it; `del` clears them.

    Clearing raises NotFoundError, which is a KeyError, if the place has no override. Setting raises WrongTypeError if
    the pointer leads through a list, a text or a number; InvalidArgumentError for an invalid key or pointer, or a
    value that is too large; TooLargeError for more than 10,000 overrides; TypeError or ValueError if the value cannot
    be written as JSON; ClosedError. Waits for the running job of the thread `remora-engine`: milliseconds. With
    `persist_overrides` it also waits for file system calls, and at most 5 s for another client or process that stores
    its overrides of the source.
    """

    __slots__ = ()

    def __setitem__(self, place: Place, value: object) -> None:
        handles.set_override(self._using(), *place_of(place), json_text("value", value))

    def set(self, place: Place, value: object, *, if_exists: bool = False) -> None:
        """Sets an override, as an assignment does. With `if_exists`, only if the source has data for the key.

            source.overrides.set(("app", "/subjectConfiguration/userId"), "me", if_exists=True)

        Use `if_exists` at start-up to override a part of a fetched value, so that a key or namespace that the server
        has removed is not created again. A missing key raises NotFoundError, which is a KeyError, and nothing changes.
        A key that has only overrides, such as stored overrides, counts as missing.
        """
        handles.set_override(self._using(), *place_of(place), json_text("value", value), if_exists)

    def __delitem__(self, place: Place) -> None:
        handles.clear_override(self._using(), *place_of(place))

    def clear(self) -> None:
        """Clears all overrides of the source."""
        handles.clear_overrides(self._using())
