# SPDX-License-Identifier: Apache-2.0
"""Functions of clients, sources, subscriptions and requests, except those with callbacks. They release the
interpreter's lock. Options and callback types are imported by the first client.
"""

from __future__ import annotations

from ctypes import byref, c_char_p, c_int32, c_size_t

from .calling import Handle, call, filled, made
from .constants import number
from .library import functions
from .reads import SnapshotHandle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Union

    from .calling import Field
    from .registry import Receiver

    Find = Callable[[], Union[Receiver, None]]
    """Returns a receiver, or None if it no longer exists. The type of the argument of `register`."""

# Bound early, because finalizers may call them while the interpreter shuts down.
close = functions["remora_client_close"]
close_source = functions["remora_source_close"]
unsubscribe = functions["remora_unsubscribe"]
cancel = functions["remora_request_cancel"]
release_request = functions["remora_request_release"]


def setup(
    fields: Mapping[str, Field], log: Find | None, attempts: Find | None, hosts: Iterable[Callable[[Any], None]] = ()
) -> Handle:
    """Creates a client whose callbacks run in `dispatch`.

    `log` and `attempts` find the receivers of messages and attempts. Each of `hosts` adds a transport or a clock to the
    configuration.
    """
    from .options import Config

    config = Config()
    filled(config, fields)
    config.callbacks = number("REMORA_CALLBACKS_ON_DISPATCH")
    if log is not None or attempts is not None:
        from .registry import on_attempt, on_free, on_log, register
    if log is not None:
        config.on_log, config.on_log_user_data, config.on_log_free_user_data = on_log, register(log), on_free
    if attempts is not None:
        config.on_attempt, config.on_attempt_user_data = on_attempt, register(attempts)
        config.on_attempt_free_user_data = on_free
    for add in hosts:
        add(config)
    return made(functions["remora_setup"], byref(config))


def options_of(kind: str, fields: Mapping[str, Field]) -> Any:
    """Returns the library's structure with the options of a source."""
    from .options import OPTIONS

    return filled(OPTIONS[kind](), fields)


def open_source(
    client: Handle, kind: str, fields: Mapping[str, Field], opening: Mapping[str, Field], receiver: Find | None
) -> Handle:
    """Opens a source of a kind.

    `opening` has the fields of remora_source_options, `receiver` is the first subscriber.
    """
    from .options import SourceOptions

    source, options = options_of(kind, fields), SourceOptions()
    filled(options, opening)
    if receiver is not None:
        from .registry import on_event, on_free, register

        options.on_event, options.on_event_user_data = on_event, register(receiver)
        options.on_event_free_user_data = on_free
    return made(functions[f"remora_open_{kind}"], client, byref(source), byref(options))


def open_tag(settings: Handle, tag: bytes, ttl_ms: int) -> Handle:
    """Opens a tag of settings; a ttl of 0 means the settings' ttl."""
    return made(functions["remora_open_tag"], settings, tag, ttl_ms)


def set_headers(client: Handle, lines: list[bytes]) -> None:
    """Replaces the headers of later requests."""
    call(functions["remora_set_headers"], client, (c_char_p * (len(lines) + 1))(*lines, None))


def set_context(client: Handle, text: bytes | None) -> None:
    """Sets the context of filters, a JSON object; None: an empty context."""
    call(functions["remora_set_context"], client, text)


def filter_matches(expression: bytes, context: bytes | None) -> bool:
    """Returns whether a filter expression is true in a context; None is an empty context."""
    out = c_int32()
    call(functions["remora_filter_matches"], expression, context, byref(out))
    return out.value != 0


def descriptor(client: Handle) -> int:
    """Returns the descriptor that is readable while callbacks are queued."""
    out = c_int32()
    call(functions["remora_client_get_fd"], client, byref(out))
    return out.value


def dispatch(client: Handle) -> int:
    """Runs the queued callbacks, and returns their number."""
    out = c_size_t()
    call(functions["remora_dispatch"], client, byref(out))
    return out.value


def manner(fields: Mapping[str, Field]) -> Any:
    """Returns options as an argument of refresh, await and sync."""
    from .options import RefreshOptions

    return byref(filled(RefreshOptions(), fields))


def refresh(source: Handle, how: Any, timeout_ms: int) -> int:
    """Refreshes a source, waits, and returns the outcome."""
    out = c_int32()
    call(functions["remora_refresh"], source, how, timeout_ms, byref(out))
    return out.value


def wait(source: Handle, how: Any, timeout_ms: int) -> SnapshotHandle:
    """Waits for a fresh snapshot, and returns it."""
    snapshot = SnapshotHandle()
    call(functions["remora_await"], source, how, timeout_ms, byref(snapshot))
    return snapshot


def reset(source: Handle) -> None:
    """Removes all fetched data."""
    call(functions["remora_reset"], source)


def activate(source: Handle, snapshot: Handle | None) -> int:
    """Makes the staged version live, and returns the outcome. With a snapshot, only if this snapshot is staged."""
    out = c_int32()
    call(functions["remora_activate"], source, snapshot, byref(out))
    return out.value


def reject(source: Handle, snapshot: Handle, reason: bytes | None) -> None:
    """Rejects the live or the staged version, which must be that of the snapshot."""
    call(functions["remora_reject"], source, snapshot, reason)


def freeze(source: Handle) -> None:
    """Keeps the live snapshot, and mutes all subscribers."""
    call(functions["remora_freeze"], source)


def set_override(source: Handle, key: bytes, pointer: bytes, text: bytes, if_exists: bool = False) -> None:
    """Sets an override. With `if_exists`, raises NotFoundError if the source has no data for the key."""
    flags = number("REMORA_OVERRIDE_IF_EXISTS") if if_exists else 0
    call(functions["remora_override_set"], source, key, pointer, text, flags)


def clear_override(source: Handle, key: bytes, pointer: bytes) -> None:
    """Clears the override at a place and all overrides inside it."""
    call(functions["remora_override_clear"], source, key, pointer)


def clear_overrides(source: Handle) -> None:
    call(functions["remora_override_clear_all"], source)
