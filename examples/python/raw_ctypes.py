#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the C API with the ctypes module only, for hosts with their own binding:

    raw_ctypes.py SERVER_URL COLLECTION KEY

The server does not sign. The library is the one that REMORA_LIBRARY names, or that the loader finds. Subscribes,
refreshes, waits with select for the descriptor of remora_client_get_fd, calls remora_dispatch, and prints the event and
the value as JSON. Exits with 0. On an error it prints the reason and exits with 1.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_void_p, sizeof

REMORA_OK = 0
REMORA_TRUST_OFF = 1
REMORA_CALLBACKS_ON_DISPATCH = 1
SECONDS = 30.0


class Error(ctypes.Structure):
    """remora_error."""

    _fields_ = [
        ("status", c_int32),
        ("http_status", c_int32),
        ("retry_after_ms", c_int64),
        ("system_code", c_int32),
        ("reserved", c_int32 * 19),
        ("parameter", c_char * 48),
        ("source_name", c_char * 112),
        ("message", c_char * 384),
    ]


class Event(ctypes.Structure):
    """remora_event, with its pointers left untyped."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("source", c_void_p),
        ("source_name", c_char_p),
        ("kind", c_int32),
        ("cause", c_int32),
        ("outcome", c_int32),
        ("origin", c_int32),
        ("version", c_int64),
        ("changes", c_void_p),
        ("change_count", c_size_t),
        ("old_snapshot", c_void_p),
        ("new_snapshot", c_void_p),
        ("staged_snapshot", c_void_p),
        ("new_experiments", c_void_p),
        ("new_experiment_count", c_size_t),
        ("error", POINTER(Error)),
        ("storage_error", POINTER(Error)),
        ("namespaces", c_void_p),
        ("old_freshness", c_int32),
        ("new_freshness", c_int32),
    ]


EventCallback = ctypes.CFUNCTYPE(None, POINTER(Event), c_void_p)


class Config(ctypes.Structure):
    """remora_config."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("storage_dir", c_char_p),
        ("application_name", c_char_p),
        ("application_version", c_char_p),
        ("application_build", c_char_p),
        ("server", c_char_p),
        ("bucket", c_char_p),
        ("proxy", c_char_p),
        ("ca_file", c_char_p),
        ("headers", c_void_p),
        ("user_agent", c_char_p),
        ("connect_timeout_ms", c_int64),
        ("stall_timeout_ms", c_int64),
        ("total_timeout_ms", c_int64),
        ("max_body_bytes", c_int64),
        ("log_level", c_int32),
        ("callbacks", c_int32),
        ("on_log", c_void_p),
        ("on_log_user_data", c_void_p),
        ("on_log_free_user_data", c_void_p),
        ("on_attempt", c_void_p),
        ("on_attempt_user_data", c_void_p),
        ("on_attempt_free_user_data", c_void_p),
        ("transport", c_void_p),
        ("clock", c_void_p),
        ("client_certificate_file", c_char_p),
        ("client_key_file", c_char_p),
        ("max_stale_ms", c_int64),
    ]


class CollectionOptions(ctypes.Structure):
    """remora_collection_options."""

    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("bucket", c_char_p),
        ("server", c_char_p),
        ("root_sha256", c_char_p),
        ("signer", c_char_p),
        ("trust", c_int32),
        ("activation", c_int32),
        ("previous_roots", c_void_p),
        ("trusted_hosts", c_void_p),
        ("max_future_ms", c_int64),
        ("packaged_file", c_char_p),
        ("packaged_data", c_char_p),
        ("packaged_size", c_size_t),
        ("packaged_attachments", c_char_p),
    ]


# The sizes in abi/remora.json. The library accepts a structure that is too large if its tail is zero.
assert (sizeof(Config), sizeof(CollectionOptions), sizeof(Error), sizeof(Event)) == (216, 112, 640, 136)

library = ctypes.CDLL(os.environ.get("REMORA_LIBRARY", "libremora.so.0"))
library.remora_client_close.restype = library.remora_source_close.restype = library.remora_unsubscribe.restype = None
library.remora_snapshot_release.restype = None


def check(function: str, *arguments: object) -> None:
    """Calls a fallible function with an error structure. Raises RuntimeError on failure."""
    error = Error()
    if library[function](*arguments, byref(error)) != REMORA_OK:
        raise RuntimeError(error.message.decode())


def print_event(event: ctypes._Pointer[Event], _: int | None) -> None:
    """Runs inside remora_dispatch."""
    print(f"event outcome={event.contents.outcome} changes={event.contents.change_count}")


on_event = EventCallback(print_event)
"""Must stay referenced until remora_unsubscribe has returned, because the library calls it."""


def value_of(source: c_void_p, key: bytes) -> str:
    """Returns the JSON text of a key. The first call returns the length, the second one the text."""
    snapshot, length = c_void_p(), c_size_t()
    check("remora_snapshot_acquire", source, 0, byref(snapshot))
    try:
        check("remora_snapshot_get_json", snapshot, key, None, None, c_size_t(0), byref(length))
        text = ctypes.create_string_buffer(length.value + 1)
        check("remora_snapshot_get_json", snapshot, key, None, text, c_size_t(len(text)), byref(length))
        return text.value.decode()
    finally:
        library.remora_snapshot_release(snapshot)


def run(client: c_void_p, source: c_void_p, subscription: c_void_p, key: bytes) -> None:
    """Subscribes, refreshes, dispatches, and prints the value."""
    descriptor = c_int32()
    check("remora_subscribe", source, None, None, on_event, None, None, byref(subscription))
    check("remora_client_get_fd", client, byref(descriptor))
    check("remora_refresh", source, None, c_int64(int(SECONDS * 1000)), None)
    if not select.select([descriptor.value], [], [], SECONDS)[0]:
        raise RuntimeError("no event arrived")
    check("remora_dispatch", client, None)
    print(value_of(source, key))


def main(arguments: list[str]) -> int:
    """Runs the program and returns its exit status."""
    if len(arguments) != 4:
        print(f"usage: {arguments[0]} SERVER_URL COLLECTION KEY", file=sys.stderr)
        return 2
    client, source, subscription = c_void_p(), c_void_p(), c_void_p()
    config, collection = Config(), CollectionOptions()
    library.remora_init(byref(config), c_size_t(sizeof(config)))
    config.storage_dir, config.server = b":memory:", arguments[1].encode()
    config.callbacks = REMORA_CALLBACKS_ON_DISPATCH
    library.remora_init(byref(collection), c_size_t(sizeof(collection)))
    collection.name, collection.trust = arguments[2].encode(), REMORA_TRUST_OFF
    try:
        check("remora_setup", byref(config), byref(client))
        check("remora_open_collection", client, byref(collection), None, byref(source))
        run(client, source, subscription, arguments[3].encode())
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        library.remora_unsubscribe(subscription)
        library.remora_source_close(source)
        library.remora_client_close(client)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
