# SPDX-License-Identifier: Apache-2.0
#
# Reads on sources, snapshots and values. They keep the interpreter's lock, because they wait for nothing but moments;
# what may touch a file or calls back releases it.
"""Reading."""

from __future__ import annotations

from ctypes import (
    POINTER,
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
from .registry import listed, on_change, on_experiment
from .structures import Change, Event, Experiment, SnapshotInfo, SourceInfo, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from ctypes import Array
    from typing import Any, Tuple, Union

    ExperimentFields = Tuple[str, str, float, Union[bytes, None]]
    """Name, variant, number, and the JSON text of the keys; None if they are not listed."""

_acquire = functions["remora_snapshot_acquire"]
_acquire_quickly = unchecked("remora_snapshot_acquire")
_source_info = functions["remora_source_get_info"]
_source_revision = functions["remora_source_get_revision"]
_diff = functions["remora_snapshot_diff"]
_experiments = functions["remora_experiment_foreach"]
_retain = reading("remora_snapshot_retain")
_snapshot_info = reading("remora_snapshot_get_info")
_origin = reading("remora_snapshot_get_origin")
_count = reading("remora_snapshot_count")
_get_n = reading("remora_snapshot_get_n")
_at = reading("remora_snapshot_item")
_bool = reading("remora_snapshot_get_bool")
_int = reading("remora_snapshot_get_int")
_double = reading("remora_snapshot_get_double")
_string = reading("remora_snapshot_get_string")
_url = reading("remora_snapshot_get_url")
_value_at = reading("remora_value_resolve")
_value_json = reading("remora_value_get_json")
_snapshot_json = reading("remora_snapshot_get_json")
_record_fields = reading("remora_value_record_fields")

_release = reading("remora_snapshot_release")

# The reads by key on a source: arguments are a handle, the key, a pointer or None, a default.
source_bool = unchecked("remora_get_bool")
source_int = unchecked("remora_get_int")
source_double = unchecked("remora_get_double")
source_string = unchecked("remora_get_string")
source_url_string = unchecked("remora_get_url")
source_json_string = unchecked("remora_get_json")

# Arguments that are made once, in the form that a call takes without looking at them.
BOOL_MARK = c_int32.from_param(-1)
"""A default of `source_bool` that is neither of its values."""
INT_MARK_VALUE = -0x5EA5_0FF1_CE15_0001
INT_MARK = c_int64.from_param(INT_MARK_VALUE)
"""A default of `source_int` that hardly is a value."""
ZERO = c_int64.from_param(0)
"""Another one, to be certain."""
NAN = c_double.from_param(float("nan"))
"""A default of `source_double` that no JSON number is."""


def argument(handle: Handle) -> Any:
    """A handle as such an argument. Whoever uses it keeps the handle."""
    return c_void_p.from_param(handle.value)


_FirstBuffer = c_char * 256
_FIRST_SIZE = c_size_t.from_param(256)
_NO_STRING = b"\xff"
"""A default that no snapshot has, because it is not UTF-8."""


class Revision(c_int64):
    """The revision of a source, in the memory of the library."""

    source: Handle


def revision_of(source: Handle) -> memoryview:
    """A view of one element: the revision of a source, which is read without a call. It keeps the handle."""
    address = POINTER(c_int64)()
    call(_source_revision, source, byref(address))
    cell = Revision.from_address(addressof(address.contents))
    cell.source = source
    return memoryview(cell).cast("B").cast("q")


class SnapshotHandle(Handle):
    """An ownership of a snapshot, ended with its last reference. (NULL, where none was made, is fine with the library.)"""

    def __del__(self, release: Callable[[Handle], None] = _release) -> None:
        release(self)


def acquire_unfiltered(source: Handle) -> SnapshotHandle:
    """The live snapshot of a source, with what filters hide."""
    snapshot = SnapshotHandle()
    call(_acquire, source, number("REMORA_SNAPSHOT_UNFILTERED"), byref(snapshot))
    return snapshot


def acquire(source: Handle) -> SnapshotHandle:
    """The live snapshot of a source."""
    snapshot = SnapshotHandle()
    if _acquire_quickly(source, 0, byref(snapshot), None):
        call(_acquire, source, 0, byref(snapshot))  # Once more, for the error's details.
    return snapshot


def retain(address: int) -> SnapshotHandle:
    """Retains the snapshot that a callback received."""
    return SnapshotHandle(_retain(address))


def source_info(source: Handle) -> SourceInfo:
    """The state of a source."""
    info = SourceInfo(struct_size=sizeof(SourceInfo))
    call(_source_info, source, byref(info))
    return info


def snapshot_info(snapshot: Handle) -> SnapshotInfo:
    """What a snapshot is."""
    info = SnapshotInfo(struct_size=sizeof(SnapshotInfo))
    call(_snapshot_info, snapshot, byref(info))
    return info


def origin_of(snapshot: Handle, key: bytes) -> int:
    """Where the value of a key comes from."""
    out = c_int32()
    call(_origin, snapshot, key, byref(out))
    return out.value


def count(snapshot: Handle) -> int:
    """The number of keys."""
    number: int = _count(snapshot)
    return number


def keys(snapshot: Handle) -> Iterator[str]:
    """The keys in the order of their bytes."""
    key = c_char_p()
    for index in range(count(snapshot)):
        call(_at, snapshot, index, byref(key), None, None)
        yield (key.value or b"").decode()


def find(snapshot: Handle, key: bytes) -> Value:
    """The value of a key."""
    value = Value()
    call(_get_n, snapshot, key, len(key), None, 0, byref(value))
    return value


def value_at(value: Value, pointer: bytes | None) -> Value:
    """What a JSON Pointer leads to."""
    found = Value()
    call(_value_at, value, pointer, byref(found))
    return found


def value_text(value: Value) -> bytes:
    """The canonical JSON text of a value."""
    return _text(_value_json, value)


def record_fields_text(record: Value) -> bytes:
    """The canonical JSON text of what a record says beside what every record has."""
    return _text(_record_fields, record)


def snapshot_text(snapshot: Handle, key: bytes | None, pointer: bytes | None) -> bytes:
    """The canonical JSON text of one value, or of the whole snapshot."""
    return _text(_snapshot_json, snapshot, key, pointer)


def snapshot_bool(snapshot: Handle, key: bytes, pointer: bytes | None) -> bool:
    """A boolean."""
    out = c_int32()
    call(_bool, snapshot, key, pointer, byref(out))
    return out.value != 0


def snapshot_int(snapshot: Handle, key: bytes, pointer: bytes | None) -> int:
    """An integer, or a double that is exactly one."""
    out = c_int64()
    call(_int, snapshot, key, pointer, byref(out))
    return out.value


def snapshot_float(snapshot: Handle, key: bytes, pointer: bytes | None) -> float:
    """A number that is exactly a double."""
    out = c_double()
    call(_double, snapshot, key, pointer, byref(out))
    return out.value


def snapshot_url(snapshot: Handle, key: bytes, pointer: bytes | None) -> str:
    """A string that is an absolute URI."""
    return snapshot_str(snapshot, key, pointer, _url)


def snapshot_str(snapshot: Handle, key: bytes, pointer: bytes | None, read: Any = _string) -> str:
    """A string, which may contain U+0000."""
    out, length = c_char_p(), c_size_t()
    call(read, snapshot, key, pointer, byref(out), byref(length))
    return string_at(_address(out), length.value).decode()


def source_url(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    """As `source_str`, for strings that are an absolute URI."""
    return copied_str(source_url_string, source, key, pointer)


def source_json(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    """The JSON text of a value of the live snapshot that is not null, or None; `source` is an `argument`."""
    return copied_str(source_json_string, source, key, pointer)


def source_str(source: Any, key: bytes, pointer: bytes | None) -> str | None:
    """A string of the live snapshot, or None; `source` is an `argument`."""
    return copied_str(source_string, source, key, pointer)


def copied_str(read: Any, *place: Any) -> str | None:
    """A string that a function copies from a place, or None; the place is an `argument`, and what leads from there."""
    buffer: Array[c_char] = _FirstBuffer()
    length: int = read(*place, buffer, _FIRST_SIZE, _NO_STRING)
    while length >= sizeof(buffer):
        buffer = create_string_buffer(length + 1)
        length = read(*place, buffer, c_size_t(length + 1), _NO_STRING)
    found = string_at(buffer, length)
    return None if found == _NO_STRING else found.decode()


def changes_in(event: Event) -> list[tuple[int, str]]:
    """The kinds and keys of an event's changes."""
    return [_change(event.changes[index]) for index in range(event.change_count)]


def diff(old: Handle, new: Handle) -> list[tuple[int, str]]:
    """The kinds and keys of what differs between two snapshots."""
    return listed(_diff, old, new, on_change, read=_change)


def experiments_in(snapshot: Handle) -> list[ExperimentFields]:
    """Returns the fields of every experiment of a snapshot, in order."""
    return listed(_experiments, snapshot, on_experiment, read=_experiment)


def new_experiments(event: Event) -> list[ExperimentFields]:
    """Returns the fields of the experiments that an event reports."""
    return [_experiment(event.new_experiments[index]) for index in range(event.new_experiment_count)]


def _change(change: Change) -> tuple[int, str]:
    return change.kind, string_at(change.key, change.key_length).decode()


def _experiment(one: Experiment) -> ExperimentFields:
    name = string_at(one.name, one.name_length).decode()
    variant = string_at(one.variant, one.variant_length).decode()
    return name, variant, one.trackable, value_text(one.settings) if one.settings.node else None


def _text(function: Callable[..., Any], *arguments: Any) -> bytes:
    length = c_size_t()
    buffer: Array[c_char] = _FirstBuffer()
    while True:
        size = sizeof(buffer)
        call(function, *arguments, buffer, size, byref(length))
        if length.value < size:
            return string_at(buffer, length.value)
        buffer = create_string_buffer(length.value + 1)


def _address(pointer: c_char_p) -> int:
    return c_void_p.from_buffer(pointer).value or 0
