# SPDX-License-Identifier: Apache-2.0
#
# What the examples do beside the story: nothing packaged, nothing there, nothing right.
"""Tests of examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from Servers.bundle_server import BundleServer, element
from Servers.v2_server import V2Server
from Stories.conftest import COLLECTION, RECORD
from Stories.languages import (
    CONNECTORS,
    INSTALLER,
    OPENERS,
    RAW,
    READERS,
    SECONDS,
    SETTERS,
    SYNCERS,
    TRACKERS,
    WATCHERS,
    Example,
)


@pytest.mark.parametrize("watcher", WATCHERS, ids=str)
def test_the_watch_example_starts_without_stored_data_and_prints_each_update(
    watcher: Example, server: V2Server, tmp_path: Path
) -> None:
    collection = server.collection(COLLECTION)
    with watcher.start(server.url, "off", COLLECTION, tmp_path / "storage") as program:
        program.wait_for_line("^ready$", SECONDS)
        collection.publish({"banner": {**RECORD, "text": "Edited"}})
        program.wait_for_end(SECONDS)
    lines = program.seen.splitlines()
    assert lines[0] == "state origin=none version=0 keys=0"
    assert f"event cause=refreshed outcome=updated origin=fetched version={collection.timestamp} changes=1" in lines
    assert lines[-1].startswith("change updated banner") and '"text":"Edited"' in lines[-1]


@pytest.mark.parametrize("watcher", WATCHERS, ids=str)
def test_the_watch_example_prints_why_a_refresh_failed(watcher: Example, server: V2Server, tmp_path: Path) -> None:
    server.stop()
    with watcher.start(server.url, "off", COLLECTION, tmp_path / "storage") as program:
        program.wait_for_line("^ready$", SECONDS)
        server.start()
        program.wait_for_end(SECONDS)
    lines = program.seen.splitlines()
    assert lines[1] == "event cause=refreshed outcome=failed origin=none version=0 changes=0"
    assert lines[2].startswith("error REMORA_ERR_NETWORK ")
    assert lines[-1].startswith("change created banner")


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_the_read_example_prints_a_stored_record(reader: Example, server: V2Server, tmp_path: Path) -> None:
    collection, storage = server.collection(COLLECTION), tmp_path / "storage"
    with Example(reader.language, "watch").start(server.url, "off", COLLECTION, storage) as program:
        program.wait_for_line("^ready$", SECONDS)
    done = reader.run(server.url, "off", COLLECTION, storage, "banner")
    text = json.dumps(collection.head.records[0], sort_keys=True, separators=(",", ":"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"origin=cached version={collection.timestamp} verified=no\n{text}\n"


@pytest.mark.parametrize("arguments", [("missing",), ("banner", "/missing")], ids=" ".join)
@pytest.mark.parametrize("reader", READERS, ids=str)
def test_the_read_example_prints_one_error_line_for_a_missing_key_or_value(
    reader: Example, server: V2Server, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = reader.run(server.url, "off", COLLECTION, tmp_path / "storage", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1


def test_the_ctypes_example_prints_an_event_and_reads_a_record_without_the_python_package(server: V2Server) -> None:
    done = RAW.run(server.url, COLLECTION, "banner")
    text = json.dumps(server.collection(COLLECTION).head.records[0], sort_keys=True, separators=(",", ":"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"event outcome=1 changes=1\n{text}\n"


def test_the_ctypes_example_prints_one_error_line_if_the_server_is_down(server: V2Server) -> None:
    server.stop()
    done = RAW.run(server.url, COLLECTION, "banner")
    assert (done.returncode, done.stdout) == (1, "")
    assert "127.0.0.1" in done.stderr and len(done.stderr.splitlines()) == 1


def test_data_that_the_installer_example_saves_is_used_at_the_first_start_without_a_server(tmp_path: Path) -> None:
    with BundleServer() as server:
        server.publish(3, element("app"))
        url, storage = server.url(), tmp_path / "storage"
        done = INSTALLER.run("bundle", url, storage)
        assert (done.returncode, done.stdout, done.stderr) == (0, f"{storage} has a seed\n", "")
        assert [one.headers["user-agent"].split()[:2] for one in server.requests] == [["example/1.0", "(42)"]]
    success = "success state=cached namespaces=app version=3"
    tracker = Example("c", "bundle").run_until_printed(success, arguments=lambda: (url, storage))
    assert "state=default" not in tracker.stdout


def test_the_installer_example_saves_a_valid_file_and_reports_an_invalid_file(tmp_path: Path) -> None:
    file, storage = tmp_path / "settings.json", tmp_path / "storage"
    for content, status in (("{", 1), ('{"a":1}', 0)):
        file.write_text(content)
        done = INSTALLER.run("settings", "http://127.0.0.1:1/x", storage, file)
        assert (done.returncode, len(list(storage.glob("*.seed")))) == (status, 1 - status)
        assert done.stderr.startswith("REMORA_ERR_PARSE: ") == (status == 1)
    done = INSTALLER.run("settings", "http://127.0.0.1:1/x", storage)
    assert (done.returncode, "127.0.0.1" in done.stderr) == (1, True)


ALL = [RAW, INSTALLER, *READERS, *WATCHERS, *SYNCERS, *OPENERS, *TRACKERS, *SETTERS, *CONNECTORS]


@pytest.mark.parametrize("example", ALL, ids=str)
def test_every_example_prints_its_usage_if_it_is_started_without_arguments(example: Example) -> None:
    done = example.run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
