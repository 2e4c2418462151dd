# SPDX-License-Identifier: Apache-2.0
#
# Bound keys. Imported at their first use. A call keeps its arguments, so no key is released under a read.
"""Bound keys."""

from __future__ import annotations

from .calling import Handle, made
from .library import functions, reading, unchecked
from .reads import argument, copied_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The arguments are an `argument` and a default.
key_bool = unchecked("remora_key_get_bool")
key_int = unchecked("remora_key_get_int")
key_double = unchecked("remora_key_get_double")
key_change_count = unchecked("remora_key_get_change_count")
_string = unchecked("remora_key_get_string")


class KeyHandle(Handle):
    """A bound key, released with its last reference. (The library accepts NULL.)"""

    __slots__ = ("argument",)

    def __init__(self, address: int | None) -> None:
        super().__init__(address)
        self.argument = argument(self)
        """The handle as reads take it."""

    def __del__(self, release: Callable[[Handle], None] = reading("remora_key_release")) -> None:
        release(self)


CLOSED_KEY = KeyHandle(None)
"""The handle of a closed key: the library returns the default for NULL."""


def bind(source: Handle, key: bytes, pointer: bytes | None) -> KeyHandle:
    """Binds a place in a source."""
    return KeyHandle(made(functions["remora_key_bind"], source, key, pointer).value)


def key_str(key: Any) -> str | None:
    """Copies the string, or returns None; `key` is an `argument`."""
    return copied_str(_string, key)
