# SPDX-License-Identifier: Apache-2.0
"""Reads of sources, snapshots and values. They keep the interpreter's lock, because they do not block. Functions that
may read a file release it.
"""

from __future__ import annotations

from ctypes import (
    addressof,
    byref,
    c_char,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_void_p,
    create_string_buffer,
    sizeof,
    string_at,
)

from .calling import Handle, call
from .constants import number
from .library import functions, reading, unchecked
from .signatures import type_of
from .structures import SnapshotInfo, SourceInfo, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from ctypes import Array
    from typing import Any

# Arguments that are converted once, for `unchecked` functions.
BOOL_MARK = c_int32.from_param(-1)
"""A default of boolean reads that is neither true nor false."""
INT_MARK_VALUE = -0x5EA5_0FF1_CE15_0001
INT_MARK = c_int64.from_param(INT_MARK_VALUE)
"""A default of integer reads that is an unlikely value."""
ZERO = c_int64.from_param(0)
"""A second default of integer reads, which shows whether the first result was a value or the default."""
NAN = c_double.from_param(float("nan"))
"""A default of number reads that JSON cannot represent."""


def argument(handle: Handle) -> Any:
    """Converts a handle to an argument of `unchecked` functions. The caller must keep the handle."""
    return c_void_p.from_param(handle.value)


_FirstBuffer = c_char * 256
_FIRST_SIZE = c_size_t.from_param(256)
_NO_STRING = b"\xff"
"""A default of string reads that no value equals, because it is not UTF-8."""


_Address = type_of("c_int64*")


class Revision(c_int64):
    """The revision of a source, in the memory of the library."""

    source: Handle


def revision_of(source: Handle) -> memoryview:
    """Returns a view of the revision of a source: one number, read without a call. The view keeps the handle."""
    address = _Address()
    call(functions["remora_source_get_revision"], source, byref(address))
    cell = Revision.from_address(addressof(address.contents))
    cell.source = source
    return memoryview(cell).cast("B").cast("q")


def is_of_one_snapshot(revision: int) -> bool:
    """Whether values that are read while the source has this revision are of one snapshot."""
    return revision >= 0 and not revision & 1


class SnapshotHandle(Handle):
    """A handle of a snapshot, released with the last reference to this object. (The library accepts NULL.)"""

    def __del__(self, release: Callable[[Handle], None] = reading["remora_snapshot_release"]) -> None:
        release(self)


def acquire_unfiltered(source: Handle) -> SnapshotHandle:
    """Acquires the live snapshot of a source, without filters and overrides."""
    snapshot = SnapshotHandle()
    call(functions["remora_snapshot_acquire"], source, number("REMORA_SNAPSHOT_UNFILTERED"), byref(snapshot))
    return snapshot


def acquire(source: Handle) -> SnapshotHandle:
    """Acquires the live snapshot of a source."""
    snapshot = SnapshotHandle()
    if unchecked["remora_snapshot_acquire"](source, 0, byref(snapshot), None):
        call(functions["remora_snapshot_acquire"], source, 0, byref(snapshot))  # Once more, for the error's details.
    return snapshot


def retain(address: int) -> SnapshotHandle:
    """Retains the snapshot that a callback received."""
    return SnapshotHandle(reading["remora_snapshot_retain"](address))


def change_count(source: Any) -> int:
    """Returns how often another snapshot became live. `source` is a result of `argument`."""
    return int(unchecked["remora_source_get_change_count"](source))


def source_info(source: Handle) -> SourceInfo:
    """Returns the state of a source."""
    info = SourceInfo(struct_size=sizeof(SourceInfo))
    call(functions["remora_source_get_info"], source, byref(info))
    return info


def snapshot_info(snapshot: Handle) -> SnapshotInfo:
    """Returns the remora_snapshot_info of a snapshot."""
    info = SnapshotInfo(struct_size=sizeof(SnapshotInfo))
    call(reading["remora_snapshot_get_info"], snapshot, byref(info))
    return info


def origin_of(snapshot: Handle, key: bytes) -> int:
    """Returns the origin of the value of a key."""
    out = c_int32()
    call(reading["remora_snapshot_get_origin"], snapshot, key, byref(out))
    return out.value


def count(snapshot: Handle) -> int:
    """Returns the number of keys of a snapshot."""
    number: int = reading["remora_snapshot_count"](snapshot)
    return number


def keys(snapshot: Handle) -> Iterator[str]:
    """Returns the keys of a snapshot in byte order."""
    key = c_char_p()
    for index in range(count(snapshot)):
        call(reading["remora_snapshot_item"], snapshot, index, byref(key), None, None)
        yield (key.value or b"").decode()


def find(snapshot: Handle, key: bytes) -> Value:
    """Returns the value of a key. Raises NotFoundError."""
    value = Value()
    call(reading["remora_snapshot_get_n"], snapshot, key, len(key), None, 0, byref(value))
    return value


def value_at(value: Value, pointer: bytes | None) -> Value:
    """Returns the part of a value at a JSON Pointer."""
    found = Value()
    call(reading["remora_value_resolve"], value, pointer, byref(found))
    return found


def value_text(value: Value) -> bytes:
    """Returns the canonical JSON text of a value."""
    return _text(reading["remora_value_get_json"], value)


def explanation_texts(source: Handle, key: bytes | None, pointer: bytes | None) -> tuple[bytes, bytes]:
    """Returns the explanation of a value, as JSON and as lines for people. May wait for the disk."""
    before, explain = (source, key, pointer), functions["remora_explain"]
    return _text(explain, *before, 0), _text(explain, *before, number("REMORA_EXPLAIN_TEXT"))


def record_fields_text(record: Value) -> bytes:
    """Returns the canonical JSON text of a record without `id`, `last_modified` and `attachment`."""
    return _text(reading["remora_value_record_fields"], record)


def snapshot_text(snapshot: Handle, key: bytes | None, pointer: bytes | None) -> bytes:
    """Returns the canonical JSON text of one value, or of the whole snapshot if the key is None."""
    return _text(reading["remora_snapshot_get_json"], snapshot, key, pointer)


def _text(function: Callable[..., Any], *arguments: Any) -> bytes:
    length = c_size_t()
    buffer: Array[c_char] = _FirstBuffer()
    while True:
        size = sizeof(buffer)
        call(function, *arguments, buffer, size, byref(length))
        if length.value < size:
            return string_at(buffer, length.value)
        buffer = create_string_buffer(length.value + 1)


# Typed reads of a snapshot. A kind has the name of the table in `Content` for its values.


def _string(out: c_char_p, length: c_size_t) -> str:
    return string_at(c_void_p.from_buffer(out).value or 0, length.value).decode()


_SNAPSHOT_READS: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "bools": ("remora_snapshot_get_bool", (c_int32,), lambda out: out.value != 0),
    "ints": ("remora_snapshot_get_int", (c_int64,), lambda out: out.value),
    "floats": ("remora_snapshot_get_double", (c_double,), lambda out: out.value),
    "strs": ("remora_snapshot_get_string", (c_char_p, c_size_t), _string),
    "urls": ("remora_snapshot_get_url", (c_char_p, c_size_t), _string),
}
"""The function of each kind, the types of its outputs, and the function that converts the outputs to a value."""


def snapshot_value(kind: str, snapshot: Handle, key: bytes, pointer: bytes | None) -> Any:
    """Returns a value of a snapshot, or None if it is missing or has another type."""
    name, types, read = _SNAPSHOT_READS[kind]
    outs = [one() for one in types]
    if unchecked[name](snapshot, key, pointer, *map(byref, outs), None):
        return None
    return read(*outs)


def require_snapshot_value(kind: str, snapshot: Handle, key: bytes, pointer: bytes | None) -> None:
    """Raises the error of a read whose value is missing or has another type."""
    name, types, _ = _SNAPSHOT_READS[kind]
    call(reading[name], snapshot, key, pointer, *[byref(one()) for one in types])


# Typed reads of the live snapshot. If there is no such value, they return None, and the library may log it. The
# source is a result of `argument`.


def _source_bool(source: Any, key: bytes, pointer: bytes | None) -> bool | None:
    found = unchecked["remora_get_bool"](source, key, pointer, BOOL_MARK)
    return None if found == -1 else found == 1


def _source_int(source: Any, key: bytes, pointer: bytes | None) -> int | None:
    found: int = unchecked["remora_get_int"](source, key, pointer, INT_MARK)
    if found != INT_MARK_VALUE:
        return found
    # No value, or this very number: a second default shows which.
    return unchecked["remora_get_int"](source, key, pointer, ZERO) or None


def _source_float(source: Any, key: bytes, pointer: bytes | None) -> float | None:
    found: float = unchecked["remora_get_double"](source, key, pointer, NAN)
    return None if found != found else found  # JSON has no NaN.


def _source_str(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    return copied_str(unchecked["remora_get_string"], source, key, pointer)


def _source_url(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    return copied_str(unchecked["remora_get_url"], source, key, pointer)


SOURCE_READS: dict[str, Callable[[Any, bytes, bytes | None], Any]] = {
    "bools": _source_bool, "ints": _source_int, "floats": _source_float, "strs": _source_str, "urls": _source_url,
}  # fmt: skip
"""The typed read of each kind."""


def source_json(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    """Returns the JSON text of a value of the live snapshot, or None if it is missing or null."""
    return copied_str(unchecked["remora_get_json"], source, key, pointer)


def copied_str(read: Any, *place: Any) -> str | None:
    """Returns the string that `read` copies to a buffer, or None. `place` has the first arguments of `read`."""
    buffer: Array[c_char] = _FirstBuffer()
    length: int = read(*place, buffer, _FIRST_SIZE, _NO_STRING)
    while length >= sizeof(buffer):
        buffer = create_string_buffer(length + 1)
        length = read(*place, buffer, c_size_t(length + 1), _NO_STRING)
    found = string_at(buffer, length)
    return None if found == _NO_STRING else found.decode()
