# SPDX-License-Identifier: Apache-2.0
#
# Overrides, and the origin of a key. Setting and clearing may wait, so they let go of the interpreter's lock.
"""Overrides."""

from __future__ import annotations

from ctypes import byref, c_int32, string_at

from .calling import Handle, call
from .library import functions, reading
from .registry import on_override, receivers, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_origin = reading("remora_snapshot_origin")


def set_override(source: Handle, key: bytes, pointer: bytes, text: bytes, if_exists: bool = False) -> None:
    """Makes a JSON text what a place reads as; with `if_exists` only in a key that exists."""
    call(functions["remora_override_set_if_exists" if if_exists else "remora_override_set"], source, key, pointer, text)


def clear_override(source: Handle, key: bytes, pointer: bytes) -> None:
    """Clears the override at a place and those below it."""
    call(functions["remora_override_clear"], source, key, pointer)


def clear_overrides(source: Handle) -> None:
    """Clears all overrides of a source."""
    call(functions["remora_override_clear_all"], source)


def listed(source: Handle) -> list[tuple[str, str, bytes]]:
    """Key, pointer and canonical JSON of every override, in order."""
    found = _Listing()
    number = register(lambda: found)
    try:
        call(functions["remora_override_list"], source, on_override, number)
    finally:
        receivers.pop(number)
    return found.overrides


def origin_of(snapshot: Handle, key: bytes) -> int:
    """Where the value of a key comes from."""
    out = c_int32()
    call(_origin, snapshot, key, byref(out))
    return out.value


class _Listing:
    """Receives what a walk over overrides tells."""

    def __init__(self) -> None:
        self.overrides: list[tuple[str, str, bytes]] = []

    def receive(self, *told: Any) -> None:
        """Notes one override."""
        (one,) = told
        key, pointer = string_at(one.key, one.key_length), string_at(one.pointer, one.pointer_length)
        self.overrides.append((key.decode(), pointer.decode(), string_at(one.json, one.json_length)))

    def end(self) -> None:
        """Nothing is kept."""
