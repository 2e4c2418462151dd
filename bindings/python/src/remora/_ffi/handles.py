# SPDX-License-Identifier: Apache-2.0
#
# Everything that makes, uses, changes or ends a client, a source, a subscription or a request. These calls release the
# interpreter's lock.
"""Clients, sources, subscriptions, requests."""

from __future__ import annotations

from ctypes import Structure, byref, c_int32, c_size_t, string_at

from ..errors import Error
from . import structures
from .callbacks import FreeUserData, ResultCallback
from .calling import Handle, call, error_in, filled, made
from .constants import number
from .library import functions
from .options import BundleOptions, CollectionOptions, Config, RefreshOptions, SettingsOptions, SourceOptions
from .reads import SnapshotHandle
from .registry import (
    listed,
    listening,
    on_attempt,
    on_awaited,
    on_event,
    on_free,
    on_log,
    on_namespace,
    on_override,
    on_refreshed,
    on_source,
    on_synced,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from .calling import Field

    T = TypeVar("T")

close = functions["remora_client_close"]
close_source = functions["remora_source_close"]
unsubscribe = functions["remora_unsubscribe"]
cancel = functions["remora_request_cancel"]
release_request = functions["remora_request_release"]


def setup(fields: Mapping[str, Field], log: int | None, attempts: int | None) -> Handle:
    """Makes a client whose callbacks run in `dispatch`; the numbers are of the receivers of messages and attempts."""
    config = Config()
    filled(config, fields)
    config.callbacks = number("REMORA_CALLBACKS_ON_DISPATCH")
    if log is not None:
        config.on_log, config.on_log_user_data, config.on_log_free_user_data = on_log, log, on_free
    if attempts is not None:
        config.on_attempt, config.on_attempt_user_data, config.on_attempt_free_user_data = on_attempt, attempts, on_free
    return made(functions["remora_setup"], byref(config))


_OPTIONS: dict[str, type[Structure]] = {
    "collection": CollectionOptions,
    "bundle": BundleOptions,
    "settings": SettingsOptions,
}
"""The structure of options of each kind of source."""


def options_of(kind: str, fields: Mapping[str, Field]) -> Any:
    """The options of a source of that kind."""
    return filled(_OPTIONS[kind](), fields)


def open_source(
    client: Handle, kind: str, fields: Mapping[str, Field], opening: Mapping[str, Field], receiver: int | None
) -> Handle:
    """Opens a source of that kind, with the fields of remora_source_options; `receiver` is its first subscriber's number."""
    source, options = options_of(kind, fields), SourceOptions()
    filled(options, opening)
    if receiver is not None:
        options.on_event, options.on_event_user_data, options.on_event_free_user_data = on_event, receiver, on_free
    return made(functions[f"remora_open_{kind}"], client, byref(source), byref(options))


def sources(client: Handle, read: Callable[[structures.SourceInfo], T]) -> list[T]:
    """What `read` makes of the state of each open source, in the order of opening."""
    return listed(functions["remora_source_foreach"], client, on_source, read=read)


def set_context(client: Handle, text: bytes | None) -> None:
    """Makes a JSON object what filters know of the application; None is nothing."""
    call(functions["remora_set_context"], client, text)


def descriptor(client: Handle) -> int:
    """What becomes readable when `dispatch` has something to do."""
    out = c_int32()
    call(functions["remora_client_get_fd"], client, byref(out))
    return out.value


def dispatch(client: Handle) -> int:
    """Runs the callbacks that wait, and returns their number."""
    out = c_size_t()
    call(functions["remora_dispatch"], client, byref(out))
    return out.value


def manner(**fields: int) -> Any:
    """The options of a refresh, an await or a sync."""
    return byref(filled(RefreshOptions(), fields))


def refresh(source: Handle, how: Any, timeout_ms: int) -> int:
    """Refreshes, waits, and returns the outcome."""
    out = c_int32()
    call(functions["remora_refresh"], source, how, timeout_ms, byref(out))
    return out.value


def refresh_async(source: Handle, how: Any, timeout_ms: int, receiver: int | None) -> Handle:
    """Refreshes without waiting; the receiver, if any, gets the result."""
    nothing = (ResultCallback(), None, FreeUserData())
    callbacks = nothing if receiver is None else (on_refreshed, receiver, on_free)
    return made(functions["remora_refresh_async"], source, how, timeout_ms, *callbacks)


def wait(source: Handle, if_empty: bool, timeout_ms: int) -> tuple[SnapshotHandle | None, Error | None]:
    """Waits for a fresh snapshot. Returns a snapshot, if there is one, and the reason that it is not fresh."""
    snapshot, error = SnapshotHandle(), structures.Error()
    how = manner(only_if_empty=int(if_empty))
    functions["remora_await"](source, how, timeout_ms, byref(snapshot), byref(error))
    return (snapshot if snapshot.value else None), error_in(error)


def wait_async(source: Handle, if_empty: bool, timeout_ms: int, receiver: int) -> Handle:
    """As `wait`, without waiting; the receiver gets the result."""
    how = manner(only_if_empty=int(if_empty))
    return made(functions["remora_await_async"], source, how, timeout_ms, on_awaited, receiver, on_free)


def prefetch(source: Handle) -> None:
    """Starts what `wait` would wait for, without a limit; only subscribers are notified."""
    call(functions["remora_await_async"], source, None, -1, ResultCallback(), None, FreeUserData(), None)


def sync(client: Handle, how: Any, timeout_ms: int, report: Callable[..., object]) -> Error | None:
    """Syncs and waits; the function gets the report inside, unless nothing could be started."""
    error, function = structures.Error(), functions["remora_sync"]
    listening(report, lambda number: function(client, how, timeout_ms, on_synced, number, byref(error)))
    return error_in(error)


def sync_async(client: Handle, how: Any, timeout_ms: int, receiver: int) -> Handle:
    """Syncs without waiting; the receiver gets the report."""
    return made(functions["remora_sync_async"], client, how, timeout_ms, on_synced, receiver, on_free)


def reset(source: Handle) -> None:
    """Forgets everything fetched."""
    call(functions["remora_reset"], source)


def subscribe(source: Handle, key: bytes | None, replay: bool, receiver: int) -> Handle:
    """Subscribes a receiver to a source or to one of its keys."""
    flags = number("REMORA_SUBSCRIBE_REPLAY") if replay else 0
    return made(functions["remora_subscribe"], source, key, flags, on_event, receiver, on_free)


def activate(source: Handle) -> int:
    """Makes live what is staged, and returns the outcome."""
    out = c_int32()
    call(functions["remora_activate"], source, byref(out))
    return out.value


def stop_listening(source: Handle) -> None:
    """Keeps the live snapshot, and mutes all subscribers."""
    call(functions["remora_stop_listening"], source)


def namespaces(source: Handle, snapshot: Handle | None) -> list[tuple[str, bool, bool, int]]:
    """Name, whether it is of the bundle, whether it is the default, and origin of every namespace, in order."""
    return listed(functions["remora_namespace_foreach"], source, snapshot, on_namespace, read=_namespace)


def _namespace(one: structures.Namespace) -> tuple[str, bool, bool, int]:
    return string_at(one.name, one.name_length).decode(), bool(one.in_bundle), bool(one.is_default), one.origin


def set_override(source: Handle, key: bytes, pointer: bytes, text: bytes, if_exists: bool = False) -> None:
    """Makes a JSON text what a place reads as; with `if_exists` only in a key that exists."""
    flags = number("REMORA_OVERRIDE_IF_EXISTS") if if_exists else 0
    call(functions["remora_override_set"], source, key, pointer, text, flags)


def clear_override(source: Handle, key: bytes, pointer: bytes) -> None:
    """Clears the override at a place and those below it."""
    call(functions["remora_override_clear"], source, key, pointer)


def clear_overrides(source: Handle) -> None:
    """Clears all overrides of a source."""
    call(functions["remora_override_clear_all"], source)


def overrides(source: Handle) -> list[tuple[str, str, bytes]]:
    """Key, pointer and canonical JSON of every override, in order."""
    return listed(functions["remora_override_foreach"], source, on_override, read=_override)


def _override(one: structures.Override) -> tuple[str, str, bytes]:
    key, pointer = string_at(one.key, one.key_length), string_at(one.pointer, one.pointer_length)
    return key.decode(), pointer.decode(), string_at(one.json, one.json_length)
