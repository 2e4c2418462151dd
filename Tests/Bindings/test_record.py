# SPDX-License-Identifier: Apache-2.0
"""The record of the ABI is that of the header, and says enough for a binding."""

from __future__ import annotations

import ctypes
import json
import os
from typing import Any

import pytest

from Bindings.abi_record import RECORD, record
from Bindings.python_ffi import SCALARS


class GeneratedBinding:
    """ctypes from the record alone; pointers are addresses, except those to text."""

    def __init__(self, written: dict[str, Any]) -> None:
        self.constants = written["constants"]
        self._structures = written["structures"]
        self._functions = written["functions"]
        self._library = ctypes.CDLL(os.environ["REMORA_LIBRARY"])
        self._made: dict[str, Any] = {}

    def structure(self, name: str) -> Any:
        if name not in self._made:
            fields = [(one["name"], self._ctype(one["type"])) for one in self._structures[name]["fields"]]
            self._made[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
        return self._made[name]

    def function(self, name: str) -> Any:
        made = self._library[name]
        made.restype = self._ctype(self._functions[name]["result"])
        made.argtypes = [self._ctype(one) for one in self._functions[name]["parameters"]]
        return made

    def _ctype(self, kind: Any) -> Any:
        if isinstance(kind, str):
            if kind == "void":
                return None
            return SCALARS.get(kind) or self.structure(kind.removeprefix("struct "))
        if "array" in kind:
            return self._ctype(kind["array"]) * kind["length"]
        return ctypes.c_char_p if kind.get("pointer") == "char" and kind["const"] else ctypes.c_void_p


@pytest.fixture(scope="session")
def written() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return loaded


def test_the_json_description_of_the_c_api_matches_the_header() -> None:
    assert RECORD.read_text(encoding="utf-8") == record(), "run scripts/record-abi"


def test_the_library_exports_every_function_in_the_json_description_of_the_c_api(written: dict[str, Any]) -> None:
    library = ctypes.CDLL(os.environ["REMORA_LIBRARY"])
    assert [name for name in written["functions"] if not hasattr(library, name)] == []


def test_structures_generated_from_the_json_description_of_the_c_api_have_the_sizes_and_offsets_that_it_states(
    written: dict[str, Any],
) -> None:
    binding = GeneratedBinding(written)
    for name, one in written["structures"].items():
        made = binding.structure(name)
        assert ctypes.sizeof(made) == one["size"], name
        assert {field["name"]: getattr(made, field["name"]).offset for field in one["fields"]} == {
            field["name"]: field["offset"] for field in one["fields"]
        }, name


def test_a_binding_generated_from_the_json_description_of_the_c_api_opens_and_reads_a_collection(
    written: dict[str, Any],
) -> None:
    binding = GeneratedBinding(written)
    made = {name: binding.structure(name)() for name in ("remora_config", "remora_collection_options", "remora_error")}
    config, options, error = made.values()
    for one in (config, options):
        binding.function("remora_init")(ctypes.byref(one), ctypes.sizeof(one))
    client, source = ctypes.c_void_p(), ctypes.c_void_p()
    config.storage_dir = binding.constants["REMORA_STORAGE_MEMORY"].encode()
    assert binding.function("remora_setup")(ctypes.byref(config), ctypes.byref(client), ctypes.byref(error)) == 0
    data = b'{"data": [{"id": "a", "last_modified": 1, "n": 5}], "timestamp": 1}'
    options.name, options.trust = b"made", binding.constants["REMORA_TRUST_OFF"]
    options.packaged_data, options.packaged_size = data, len(data)
    opened = binding.function("remora_open_collection")(client, ctypes.byref(options), None, ctypes.byref(source), None)
    assert opened == binding.constants["REMORA_OK"]
    assert binding.function("remora_get_int")(source, b"a", b"/n", 7) == 5
    binding.function("remora_source_close")(source)
    binding.function("remora_client_close")(client)
