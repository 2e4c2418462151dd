# SPDX-License-Identifier: Apache-2.0
"""Calls the library with ctypes only, to measure a call without the Python package."""

from __future__ import annotations

from ctypes import byref, c_void_p, sizeof
from typing import Any

from remora._ffi import STRUCTURES, functions


def open_source(packaged: bytes) -> tuple[Any, c_void_p]:
    """Returns `remora_get_bool` and an open source."""
    client, source = c_void_p(), c_void_p()
    config = filled("remora_config")
    config.storage_dir = b":memory:"
    demand(functions["remora_setup"](byref(config), byref(client), None))
    options = filled("remora_collection_options")
    options.name, options.trust = b"settings", 1
    options.packaged_data, options.packaged_size = packaged, len(packaged)
    demand(functions["remora_open_collection"](client, byref(options), None, byref(source), None))
    return functions["remora_get_bool"], source


def filled(name: str) -> Any:
    structure = STRUCTURES[name]()
    functions["remora_init"](byref(structure), sizeof(structure))
    return structure


def demand(status: int) -> None:
    if status:
        raise RuntimeError(f"status {status}")
