# SPDX-License-Identifier: Apache-2.0
"""The library accepts every structure of a host from its recorded minimum size on, and no smaller one."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator
from ctypes import byref, c_int64, c_size_t, c_void_p
from typing import Any

import pytest

from Bindings.abi_record import RECORD

STRUCTURES = json.loads(RECORD.read_text(encoding="utf-8"))["structures"]
PASSED = [
    name
    for name in STRUCTURES
    if name.endswith(("_config", "_options", "_info", "_transport", "_http_response", "_clock"))
]
ERROR_SIZE, MESSAGE_AT = 640, 256

IGNORE = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)(lambda request, user_data: None)
"""Receives the request of a seed."""


def memory_of(name: str, size: int | None = None, **pointers: Any) -> Any:
    """A structure of zeros, with its size and some pointers."""
    memory = ctypes.create_string_buffer(4096)
    c_size_t.from_buffer(memory).value = size or STRUCTURES[name]["minimum_size"]
    offsets = {field["name"]: field["offset"] for field in STRUCTURES[name]["fields"]}
    for field, value in pointers.items():
        c_void_p.from_buffer(memory, offsets[field]).value = ctypes.cast(value, c_void_p).value
    return memory


class Host:
    """A local bundle in memory, and one call for each structure."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(os.environ["REMORA_LIBRARY"])
        self.client, self.source, self.snapshot = c_void_p(), c_void_p(), c_void_p()
        config = memory_of("remora_config", storage_dir=b":memory:")
        self.library.remora_setup(config, byref(self.client), None)
        self.library.remora_open_bundle(self.client, memory_of("remora_bundle_options"), None, byref(self.source), None)
        self.library.remora_snapshot_acquire(self.source, 0, byref(self.snapshot), None)

    def close(self) -> None:
        for function, handle in (("snapshot_release", self.snapshot), ("source_close", self.source)):
            self.library[f"remora_{function}"](handle)
        self.library.remora_client_close(self.client)

    def complaint(self, name: str, size: int) -> str:
        """What the library says of a structure of a size, in a call that changes nothing."""
        error = ctypes.create_string_buffer(ERROR_SIZE)
        self._call(name, memory_of(name, size), error)
        return ctypes.string_at(ctypes.addressof(error) + MESSAGE_AT).decode()

    def _call(self, name: str, memory: Any, error: Any) -> None:
        library = self.library
        kind = name.removeprefix("remora_").removesuffix("_options")
        match kind:
            case "transport" | "clock":
                config = memory_of("remora_config", STRUCTURES["remora_config"]["size"], **{kind: memory})
                library.remora_setup(config, byref(c_void_p()), error)
            case "http_response":
                library.remora_respond(c_int64(0), memory, error)
            case "config":
                library.remora_setup(memory, None, error)
            case "source":
                library.remora_open_collection(None, None, memory, None, error)
            case "collection":
                library.remora_open_collection(self.client, memory, None, byref(c_void_p()), error)
            case "bundle" | "settings":
                seed = memory_of("remora_seed_options", **{kind: memory})
                library.remora_seed_request(memory_of("remora_config"), seed, IGNORE, None, error)
            case "seed":
                library.remora_seed_request(memory_of("remora_config"), memory, IGNORE, None, error)
            case "refresh":
                library.remora_refresh(self.source, memory, c_int64(0), None, error)
            case "attachment":
                library.remora_attachment_open(None, None, memory, c_int64(0), None, error)
            case "source_info":
                library.remora_source_get_info(self.source, memory, error)
            case "snapshot_info":
                library.remora_snapshot_get_info(self.snapshot, memory, error)
            case _:
                raise ValueError(f"no call is known that takes {name}")


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    made = Host()
    yield made
    made.close()


@pytest.mark.parametrize("name", PASSED)
def test_the_library_accepts_a_structure_of_its_minimum_size_or_larger_and_refuses_a_smaller_one(
    host: Host, name: str
) -> None:
    minimum = STRUCTURES[name]["minimum_size"]
    assert "is not initialised" in host.complaint(name, minimum - 1)
    for size in (minimum, minimum + 8, 4096):
        assert "is not initialised" not in host.complaint(name, size), size


def test_the_recorded_minimum_size_of_each_c_structure_is_at_most_its_current_size() -> None:
    sizes = {name: (one["minimum_size"], one["size"]) for name, one in STRUCTURES.items() if "minimum_size" in one}
    assert {name: pair for name, pair in sizes.items() if pair[0] > pair[1]} == {}
    assert len(sizes) > len(PASSED)
