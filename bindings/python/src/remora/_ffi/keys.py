# SPDX-License-Identifier: Apache-2.0
"""Bound keys. Imported at their first use. A call keeps its arguments, so no key is released under a read."""

from __future__ import annotations

from .calling import Handle, made
from .library import functions, reading, unchecked
from .reads import BOOL_MARK, INT_MARK, INT_MARK_VALUE, NAN, ZERO, argument, copied_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_bool = unchecked["remora_key_get_bool"]
_int = unchecked["remora_key_get_int"]
_double = unchecked["remora_key_get_double"]
_string = unchecked["remora_key_get_string"]
_url = unchecked["remora_key_get_url"]
_json = unchecked["remora_key_get_json"]
key_change_count = unchecked["remora_key_get_change_count"]
"""Returns the change count of a bound key. Its parameter is `KeyHandle.argument`."""


class KeyHandle(Handle):
    """A handle of a bound key, released with its last reference. (The library accepts NULL.)"""

    __slots__ = ("argument",)

    def __init__(self, address: int | None) -> None:
        super().__init__(address)
        self.argument = argument(self)
        """The handle as an argument of `unchecked` functions."""

    def __del__(self, release: Callable[[Handle], None] = reading["remora_key_release"]) -> None:
        release(self)


CLOSED_KEY = KeyHandle(None)
"""The handle of a closed key, NULL, for which the library returns defaults."""


def bind(source: Handle, key: bytes, pointer: bytes | None) -> KeyHandle:
    """Binds a key, or a part of its value."""
    return KeyHandle(made(functions["remora_key_bind"], source, key, pointer).value)


def _key_bool(key: KeyHandle) -> bool | None:
    found = _bool(key.argument, BOOL_MARK)
    return None if found == -1 else found == 1


def _key_int(key: KeyHandle) -> int | None:
    found: int = _int(key.argument, INT_MARK)
    if found != INT_MARK_VALUE:
        return found
    # No value, or this very number: a second default shows which.
    return _int(key.argument, ZERO) or None


def _key_float(key: KeyHandle) -> float | None:
    found: float = _double(key.argument, NAN)
    return None if found != found else found  # JSON has no NaN.


def _key_str(key: KeyHandle) -> str | None:
    return copied_str(_string, key.argument)


def _key_url(key: KeyHandle) -> str | None:
    return copied_str(_url, key.argument)


def _key_json(key: KeyHandle) -> str | None:
    return copied_str(_json, key.argument)


KEY_READS: dict[str, Callable[[KeyHandle], Any]] = {
    "bools": _key_bool, "ints": _key_int, "floats": _key_float, "strs": _key_str, "urls": _key_url, "jsons": _key_json,
}  # fmt: skip
"""The read of each kind: it returns the live value, or None if the source has no such value. JSON is a text."""
