# SPDX-License-Identifier: Apache-2.0
#
# The Python examples do what their first lines say, with the output of the C ones.
"""Tests of examples/python."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import BANNER
from Servers.terminal_process import TerminalProcess
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "python"
SECONDS = 30.0


def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs an example to its end; every warning is an error."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", ["watch.py", "event_loop.py"])
def test_watching_tells_the_start_the_refresh_and_the_change(
    name: str, server: V2Server, collection: Collection, tmp_path: Path
) -> None:
    packaged = tmp_path / "packaged.json"
    packaged.write_text(json.dumps({"data": [{"id": "limits", "last_modified": 1, "n": 1}], "timestamp": 1}))
    arguments = (server.url, "off", collection.name, tmp_path / "storage", packaged)
    with TerminalProcess(sys.executable, "-W", "error", EXAMPLES / name, *arguments) as watch:
        watch.wait_for_line("^ready$", SECONDS)
        first = collection.timestamp
        collection.publish({"banner": {**BANNER, "text": "Edited"}})
        watch.wait_for_end(SECONDS)
    lines = watch.seen.splitlines()
    begin, told = "change created banner ", f"event cause=refreshed outcome=updated origin=fetched version={first} changes=2"
    assert lines[:3] == [
        "state origin=packaged version=1 keys=1",
        'key limits {"id":"limits","last_modified":1,"n":1}',
        told,
    ]
    assert lines[3].startswith(begin) and lines[4:6] == ["change deleted limits", "ready"]
    assert lines[6] == f"event cause=refreshed outcome=updated origin=fetched version={collection.timestamp} changes=1"
    assert lines[7].startswith("change updated banner") and '"text":"Edited"' in lines[7] and len(lines) == 8


def test_getting_reads_the_cache_without_a_server(collection: Collection, tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    with V2Server(None) as own:
        own.collection("own").publish({"banner": BANNER})
        with TerminalProcess(sys.executable, EXAMPLES / "watch.py", own.url, "off", "own", storage) as watch:
            watch.wait_for_line("^ready$", SECONDS)
        url, timestamp = own.url, own.collection("own").timestamp
    done = run("get.py", url, "off", "own", storage, "banner", "/text")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f'origin=cached version={timestamp} verified=no\n"Hi"\n'
    missing = run("get.py", url, "off", "own", storage, "nothing")
    assert (missing.returncode, missing.stdout) == (1, "") and "nothing" in missing.stderr


def test_ctypes_alone_is_enough(server: V2Server, collection: Collection) -> None:
    done = run("raw_ctypes.py", server.url, collection.name, "banner")
    event, value = done.stdout.splitlines()
    assert (done.returncode, done.stderr, event) == (0, "", "event outcome=1 changes=1")
    assert json.loads(value) == collection.head.records[0]


@pytest.mark.parametrize("name", ["get.py", "watch.py", "event_loop.py", "raw_ctypes.py"])
def test_wrong_arguments_are_answered_with_the_usage(name: str) -> None:
    done = run(name)
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.startswith("usage: ")
