# SPDX-License-Identifier: Apache-2.0
#
# The examples as the build leaves them print what their comments say.
"""Tests of examples/c."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from Docs.conftest import COLLECTION, RECORD
from Docs.documents import ROOT
from Servers.terminal_process import TerminalProcess
from Servers.v2_server import V2Server

EXAMPLES = ROOT / "build" / "examples"
SECONDS = 30.0


def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs an example to its end."""
    return subprocess.run([EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_quickstart_prints_one_setting(server: V2Server) -> None:
    done = run("quickstart", server.url, COLLECTION, "banner")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"last_modified = {server.collection(COLLECTION).timestamp}\n"


def test_quickstart_prints_the_default_for_an_unknown_key(server: V2Server) -> None:
    done = run("quickstart", server.url, COLLECTION, "nothing")
    assert (done.returncode, done.stdout) == (0, "last_modified = -1\n")


def test_quickstart_says_what_is_wrong_and_still_reads(server: V2Server) -> None:
    server.stop()
    done = run("quickstart", server.url, COLLECTION, "banner")
    assert (done.returncode, done.stdout) == (1, "last_modified = -1\n")
    assert "127.0.0.1" in done.stderr


@pytest.mark.parametrize("name", ["watch", "event_loop"])
def test_watch_tells_the_start_the_refresh_and_the_change(name: str, server: V2Server, tmp_path: Path) -> None:
    collection = server.collection(COLLECTION)
    with TerminalProcess(EXAMPLES / name, server.url, "off", COLLECTION, tmp_path / "storage") as watch:
        watch.wait_for_line("^ready$", SECONDS)
        collection.publish({"banner": {**RECORD, "text": "Edited"}})
        watch.wait_for_end(SECONDS)
        lines = watch.seen.splitlines()
    assert lines[0] == "state origin=none version=0 keys=0"
    first, second = (line for line in lines if line.startswith("event "))
    assert first.startswith("event cause=refreshed outcome=updated origin=fetched")
    assert second == f"event cause=refreshed outcome=updated origin=fetched version={collection.timestamp} changes=1"
    assert lines[-1].startswith("change updated banner") and '"text":"Edited"' in lines[-1]


@pytest.mark.parametrize("name", ["watch", "event_loop"])
def test_watch_prints_the_state_that_is_stored(name: str, server: V2Server, tmp_path: Path) -> None:
    packaged = tmp_path / "packaged.json"
    packaged.write_text(json.dumps({"data": [{"id": "limits", "last_modified": 1, "n": 1}], "timestamp": 1}))
    arguments = (server.url, "off", COLLECTION, tmp_path / "storage", packaged)
    with TerminalProcess(EXAMPLES / name, *arguments) as watch:
        watch.wait_for_line("^ready$", SECONDS)
        lines = watch.seen.splitlines()
    assert lines[:2] == ["state origin=packaged version=1 keys=1", 'key limits {"id":"limits","last_modified":1,"n":1}']


def test_get_reads_the_cache_without_a_server(server: V2Server, tmp_path: Path) -> None:
    storage, timestamp = tmp_path / "storage", server.collection(COLLECTION).timestamp
    with TerminalProcess(EXAMPLES / "watch", server.url, "off", COLLECTION, storage) as watch:
        watch.wait_for_line("^ready$", SECONDS)
    server.stop()
    done = run("get", server.url, "off", COLLECTION, storage, "banner", "/text")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f'origin=cached version={timestamp} verified=no\n"Hello"\n'


@pytest.mark.parametrize("arguments", [("missing",), ("banner", "/missing")], ids=" ".join)
def test_get_says_what_is_wrong(server: V2Server, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run("get", server.url, "off", COLLECTION, tmp_path / "storage", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("name", ["quickstart", "get", "watch", "event_loop"])
def test_wrong_arguments_are_told(name: str) -> None:
    assert run(name).returncode == 2
