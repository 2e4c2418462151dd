# SPDX-License-Identifier: Apache-2.0
"""Functions with callbacks: those that report a result to a receiver, and those that report structures one by one.
Imported at their first use, because programs that only read do not need them.
"""

from __future__ import annotations

from ctypes import byref, string_at

from .callbacks import Change, Event, Experiment, FreeUserData, Namespace, Override, ResultCallback
from .calling import Handle, call, error_in, made, texts_at
from .constants import number
from .library import functions
from .reads import value_text
from .registry import (
    listed,
    listening,
    on_awaited,
    on_change,
    on_event,
    on_experiment,
    on_free,
    on_namespace,
    on_override,
    on_refreshed,
    on_source,
    on_synced,
    register,
)
from .structures import Error as ErrorStructure
from .structures import SourceInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Tuple, TypeVar, Union

    from ..errors import Error

    from .handles import Find

    T = TypeVar("T")
    ExperimentFields = Tuple[str, str, float, Union[bytes, None]]
    """The name, the variant, the trackable number, and the JSON text of the keys; None if the server does not list
    them."""


def refresh_async(source: Handle, how: Any, timeout_ms: int, receiver: Find | None) -> Handle:
    """Refreshes a source in the background. The receiver, unless None, is called with the result."""
    nothing = (ResultCallback(), None, FreeUserData())
    callbacks = nothing if receiver is None else (on_refreshed, register(receiver), on_free)
    return made(functions["remora_refresh_async"], source, how, timeout_ms, *callbacks)


def wait_async(source: Handle, how: Any, timeout_ms: int, receiver: Find) -> Handle:
    """Waits for a fresh snapshot in the background. The receiver is called with the result."""
    return made(functions["remora_await_async"], source, how, timeout_ms, on_awaited, register(receiver), on_free)


def prefetch(source: Handle) -> None:
    """Starts the refresh that `wait` waits for, without a time limit. Only subscribers are notified."""
    call(functions["remora_await_async"], source, None, -1, ResultCallback(), None, FreeUserData(), None)


def sync(client: Handle, how: Any, timeout_ms: int, report: Callable[..., object]) -> Error | None:
    """Syncs and waits. Calls `report` with the report, unless the sync could not start. Returns the error or None."""
    error, function = ErrorStructure(), functions["remora_sync"]
    listening(report, lambda number: function(client, how, timeout_ms, on_synced, number, byref(error)))
    return error_in(error)


def sync_async(client: Handle, how: Any, timeout_ms: int, receiver: Find) -> Handle:
    """Syncs in the background. The receiver is called with the report."""
    return made(functions["remora_sync_async"], client, how, timeout_ms, on_synced, register(receiver), on_free)


def subscribe(source: Handle, key: bytes | None, replay: bool, receiver: Find) -> Handle:
    """Subscribes the receiver that `receiver` returns to a source, or to one key."""
    flags = number("REMORA_SUBSCRIBE_REPLAY") if replay else 0
    return made(functions["remora_subscribe"], source, key, flags, on_event, register(receiver), on_free)


def sources(client: Handle, read: Callable[[SourceInfo], T]) -> list[T]:
    """Returns the states of all open sources in the order of opening, each converted by `read`."""
    return listed(functions["remora_source_foreach"], client, on_source, read=read)


def namespaces(source: Handle, snapshot: Handle | None) -> list[tuple[str, bool, bool, int]]:
    """Returns name, in_bundle, is_default and origin of each namespace, as in `bundle.Namespace`."""
    return listed(functions["remora_namespace_foreach"], source, snapshot, on_namespace, read=_namespace)


def _namespace(one: Namespace) -> tuple[str, bool, bool, int]:
    return string_at(one.name, one.name_length).decode(), bool(one.in_bundle), bool(one.is_default), one.origin


def overrides(source: Handle) -> list[tuple[str, str, bytes]]:
    """Returns key, pointer and canonical JSON of every override, sorted by key, then pointer."""
    return listed(functions["remora_override_foreach"], source, on_override, read=_override)


def _override(one: Override) -> tuple[str, str, bytes]:
    key, pointer = string_at(one.key, one.key_length), string_at(one.pointer, one.pointer_length)
    return key.decode(), pointer.decode(), string_at(one.json, one.json_length)


def changes_in(event: Event) -> list[tuple[int, str]]:
    """Returns the kinds and keys of the changes of an event."""
    return [_change(event.changes[index].contents) for index in range(event.change_count)]


def namespaces_in(event: Event) -> tuple[str, ...] | None:
    """Returns the namespaces of the configuration that became active with an event, or None for other events."""
    return tuple(name.decode() for name in texts_at(event.namespaces)) if event.namespaces else None


def diff(old: Handle, new: Handle) -> list[tuple[int, str]]:
    """Returns the kinds and keys of the changes between two snapshots."""
    return listed(functions["remora_snapshot_diff"], old, new, on_change, read=_change)


def experiments_in(snapshot: Handle) -> list[ExperimentFields]:
    """Returns the fields of the experiments of a snapshot, in document order."""
    return listed(functions["remora_experiment_foreach"], snapshot, on_experiment, read=_experiment)


def new_experiments(event: Event) -> list[ExperimentFields]:
    """Returns the fields of the experiments that an event reports."""
    return [_experiment(event.new_experiments[index].contents) for index in range(event.new_experiment_count)]


def _change(change: Change) -> tuple[int, str]:
    return change.kind, string_at(change.key, change.key_length).decode()


def _experiment(one: Experiment) -> ExperimentFields:
    name = string_at(one.name, one.name_length).decode()
    variant = string_at(one.variant, one.variant_length).decode()
    return name, variant, one.trackable, value_text(one.settings) if one.settings.node else None
