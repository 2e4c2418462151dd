# SPDX-License-Identifier: Apache-2.0
#
# Everything that makes, uses or ends a client, a source, a subscription or a request. These calls let go of the
# interpreter's lock.
"""Clients, sources, subscriptions, requests."""

from __future__ import annotations

from ctypes import byref, c_int32, c_size_t

from ..errors import Error
from . import structures
from .calling import Handle, call, error_in, filled, made
from .constants import number
from .library import functions
from .reads import SnapshotHandle
from .registry import on_attempt, on_awaited, on_event, on_free, on_log, on_refreshed, on_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .calling import Field

close = functions["remora_close"]
close_source = functions["remora_source_close"]
unsubscribe = functions["remora_unsubscribe"]
cancel = functions["remora_request_cancel"]
release_request = functions["remora_request_release"]


def setup(fields: Mapping[str, Field], log: int | None, attempts: int | None) -> Handle:
    """Makes a client whose callbacks run in `dispatch`; the numbers are of the receivers of messages and attempts."""
    config = structures.Config()
    filled(config, functions["remora_config_init"], fields)
    config.callbacks = number("REMORA_CALLBACKS_ON_DISPATCH")
    if log is not None:
        config.log_callback, config.log_user_data, config.log_free_user_data = on_log, log, on_free
    if attempts is not None:
        config.attempt_callback, config.attempt_user_data, config.attempt_free_user_data = on_attempt, attempts, on_free
    return made(functions["remora_setup"], byref(config))


def open_collection(client: Handle, fields: Mapping[str, Field], receiver: int | None) -> Handle:
    """Opens a collection; `receiver` is the number of its first subscriber."""
    return opened(client, structures.CollectionOptions(), "collection", fields, receiver)


def opened(client: Handle, options: Any, kind: str, fields: Mapping[str, Field], receiver: int | None) -> Handle:
    """Opens a source of that kind, with the structure of its options."""
    filled(options, functions[f"remora_{kind}_options_init"], fields)
    if receiver is not None:
        options.on_event, options.on_event_user_data, options.on_event_free_user_data = on_event, receiver, on_free
    return made(functions[f"remora_open_{kind}"], client, byref(options))


def set_context(client: Handle, text: bytes | None) -> None:
    """Makes a JSON object what filters know of the application; None is nothing."""
    call(functions["remora_set_context"], client, text)


def descriptor(client: Handle) -> int:
    """What becomes readable when `dispatch` has something to do."""
    out = c_int32()
    call(functions["remora_fd"], client, byref(out))
    return out.value


def dispatch(client: Handle) -> int:
    """Runs the callbacks that wait, and tells how many they were."""
    out = c_size_t()
    call(functions["remora_dispatch"], client, byref(out))
    return out.value


def refresh(source: Handle, timeout_ms: int) -> int:
    """Refreshes, waits, and gives the outcome."""
    out = c_int32()
    call(functions["remora_refresh"], source, timeout_ms, byref(out))
    return out.value


def refresh_async(source: Handle, force: bool, receiver: int | None) -> Handle:
    """Refreshes without waiting; the receiver, if any, is told the end."""
    options = structures.RefreshOptions()
    filled(options, functions["remora_refresh_options_init"], {"force": int(force)})
    told = (structures.RefreshCallback(), None, structures.FreeUserData())
    callbacks = told if receiver is None else (on_refreshed, receiver, on_free)
    return made(functions["remora_refresh_async"], source, byref(options), *callbacks)


def wait(source: Handle, if_empty: bool, timeout_ms: int) -> tuple[SnapshotHandle | None, Error | None]:
    """Waits for a fresh snapshot: what there is to give, and why it is not fresh."""
    snapshot, error = SnapshotHandle(), structures.Error()
    flags = number("REMORA_AWAIT_IF_EMPTY") if if_empty else 0
    functions["remora_await"](source, flags, timeout_ms, byref(snapshot), byref(error))
    return (snapshot if snapshot.value else None), error_in(error)


def wait_async(source: Handle, if_empty: bool, timeout_ms: int, receiver: int) -> Handle:
    """As `wait`, without waiting; the receiver is told the end."""
    flags = number("REMORA_AWAIT_IF_EMPTY") if if_empty else 0
    return made(functions["remora_await_async"], source, flags, timeout_ms, on_awaited, receiver, on_free)


def prefetch(source: Handle) -> None:
    """Begins what `wait` would wait for, without limit; nobody is told."""
    call(functions["remora_await_async"], source, 0, -1, structures.AwaitCallback(), None, structures.FreeUserData(), None)


def sync(client: Handle, announced_at: int, timeout_ms: int, receiver: int) -> Error | None:
    """Syncs and waits; the receiver gets the report inside, unless nothing could be started."""
    error = structures.Error()
    functions["remora_sync_announced"](client, announced_at, timeout_ms, on_synced, receiver, byref(error))
    return error_in(error)


def sync_async(client: Handle, announced_at: int, receiver: int) -> Handle:
    """Syncs without waiting; the receiver gets the report."""
    return made(functions["remora_sync_announced_async"], client, announced_at, on_synced, receiver, on_free)


def reset(source: Handle) -> None:
    """Forgets everything fetched."""
    call(functions["remora_reset"], source)


def subscribe(source: Handle, key: bytes | None, replay: bool, receiver: int) -> Handle:
    """Subscribes a receiver to a source or to one of its keys."""
    options = structures.SubscribeOptions()
    filled(options, functions["remora_subscribe_options_init"], {"replay_current": int(replay)})
    return made(functions["remora_subscribe"], source, key, byref(options), on_event, receiver, on_free)
