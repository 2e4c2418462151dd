# SPDX-License-Identifier: Apache-2.0
#
# The dumps that the reference client packages, given to a host as packaged data: every record, field and timestamp is
# what a JSON parser reads. The files are not the project's; REMORA_VECTORS names their folder.
"""The reference's packaged dumps."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.hosts import Hosts

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
FOLDER = Path(VECTORS or "") / "rs-dumps-appservices" / "main"

pytestmark = pytest.mark.skipif(VECTORS is None, reason="REMORA_VECTORS does not name the vectors' folder")


def typed(value: Any) -> Any:
    """The value with its types in it: 1, 1.0 and true are three things."""
    if isinstance(value, dict):
        return {name: typed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [typed(element) for element in value]
    return (type(value).__name__, value)


def test_all_dumps_that_the_tests_need_exist() -> None:
    assert sorted(file.stem for file in FOLDER.glob("*.json")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_record_of_a_dump_file_is_read_when_the_file_is_opened_as_packaged_data(hosts: Hosts, name: str) -> None:
    file = FOLDER / f"{name}.json"
    dump = json.loads(file.read_text(encoding="utf-8"))
    host = hosts.setup(storage=":memory:", server="prod")
    host.succeed("open", "collection", name, packaged_file=file)
    answer = host.succeed("snapshot", unfiltered=True)
    assert (answer["origin"], answer["verified"], answer["count"]) == ("packaged", 0, len(dump["data"]))
    assert answer["version"] == dump["timestamp"] == int(file.with_suffix(".timestamp").read_text())
    assert typed(answer["json"]) == typed({record["id"]: record for record in dump["data"]})
    shown = set(host.values())  # Without a context: the others have filters.
    assert shown >= {record["id"] for record in dump["data"] if not record.get("filter_expression")}
    for record in dump["data"]:
        read = host.get_int(record["id"], "/last_modified")
        assert read == (record["last_modified"] if record["id"] in shown else -1)
