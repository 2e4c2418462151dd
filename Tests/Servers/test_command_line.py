# SPDX-License-Identifier: Apache-2.0
#
# scripts/test-server as people and other test suites use it: it prints what a client
# needs, obeys edits and control URLs, and ends at a signal.
"""Tests of the command line."""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TEST_SERVER = Path(__file__).resolve().parents[2] / "scripts" / "test-server"


@contextmanager
def running(*arguments: str, lines: int) -> Iterator[dict[str, str]]:
    """A server in the foreground of a child, and the NAME=VALUE lines that it prints."""
    process = subprocess.Popen([TEST_SERVER, *arguments, "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        printed = [process.stdout.readline().strip().split("=", 1) for _ in range(lines)]
        yield {name: value for name, value in printed}
        process.terminate()
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def changeset(url: str) -> dict[str, Any]:
    address = f"{url}/buckets/main/collections/demo/changeset?_expected=0"
    with urllib.request.urlopen(address, timeout=10) as response:
        document: dict[str, Any] = json.load(response)
    return document


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TEST_SERVER, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_the_kinto_test_server_starts_with_demo_records_that_commands_can_edit() -> None:
    with running("kinto", lines=3) as server:
        assert len(server["root"]) == 95
        assert {record["id"] for record in changeset(server["url"])["changes"]} == {"banner", "limits", "regions"}
        on = ("--url", server["url"])
        assert command("edit", *on, "banner", '{"text": "Hi"}').stdout.startswith("timestamp=")
        assert command("publish", *on, "new", '{"n": 1}').returncode == 0
        assert command("delete", *on, "limits").returncode == 0
        before = changeset(server["url"])
        assert {record["id"] for record in before["changes"]} == {"banner", "new", "regions"}
        assert command("re-sign", *on).stdout.strip() == f"timestamp={before['timestamp']}"
        missing = command("delete", *on, "absent")
        assert (missing.returncode, missing.stderr) == (1, "test-server: HTTP Error 404: Not Found\n")


def test_the_v2_test_server_publishes_records_and_simulates_faults_through_its_control_url() -> None:
    with running("v2", lines=4) as server:

        def control(operation: str, **arguments: object) -> Any:
            body = json.dumps(arguments).encode()
            with urllib.request.urlopen(f"{server['control']}/{operation}", body, timeout=10) as response:
                return json.load(response)["result"]

        timestamp = control("publish", collection="demo", records={"new": {"n": 1}})
        assert changeset(server["url"])["timestamp"] == timestamp
        control("fault", kind="status", code=503, times=1)
        with pytest.raises(urllib.error.HTTPError, match="503"):
            changeset(server["url"])
        control("fault", kind="forged_record")
        assert "forged" in {record["id"] for record in changeset(server["url"])["changes"]}
        control("clear")
        assert control("count", route="changeset") == 3
        with pytest.raises(urllib.error.HTTPError, match="400"):
            control("fault", kind="no such fault")


def test_with_the_option_unsigned_the_test_server_prints_no_root_certificate_hash_and_sends_no_signatures() -> None:
    with running("v2", "--unsigned", lines=3) as server:
        assert set(server) == {"url", "collection", "control"}
        assert "signatures" not in changeset(server["url"])["metadata"]
