# SPDX-License-Identifier: Apache-2.0
#
# The dumps that the reference client packages, read field by field as a Python host reads them. The files are not the
# project's; REMORA_VECTORS names their folder.
"""The reference's packaged dumps."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remora

NAMES = [
    "regions",
    "search-config-icons",
    "search-config-v2",
    "search-telemetry-v2",
    "summarizer-models-config",
    "translations-models",
    "translations-wasm",
]

VECTORS = os.environ.get("REMORA_VECTORS")


def fields(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every value that has none inside, with the JSON Pointer to it."""
    if isinstance(value, dict) and value:
        for name, member in value.items():
            yield from fields(member, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list) and value:
        for index, element in enumerate(value):
            yield from fields(element, f"{pointer}/{index}")
    else:
        yield pointer, value


@pytest.mark.skipif(VECTORS is None, reason="REMORA_VECTORS does not name the vectors' folder")
@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_every_record_in_a_packaged_dump_can_be_read_by_its_json_pointer(name: str) -> None:
    file = Path(VECTORS or "") / "rs-dumps-appservices" / "main" / f"{name}.json"
    dump = json.loads(file.read_text(encoding="utf-8"))
    with remora.Client.in_memory() as client:
        source = client.collection(name, packaged_file=file)
        with source.snapshot(unfiltered=True) as snapshot:
            assert (snapshot.origin, snapshot.version) == (remora.Origin.PACKAGED, dump["timestamp"])
            assert list(snapshot) == sorted(record["id"] for record in dump["data"])
            for record in dump["data"]:
                key = record["id"]
                assert snapshot.json(key) and dict(snapshot)[key] == record
                for pointer, value in fields(record):
                    read = snapshot.at(key, pointer)
                    assert read == value and isinstance(read, type(value)), f"{key}{pointer}"
                    assert isinstance(read, bool) == isinstance(value, bool), f"{key}{pointer}"
