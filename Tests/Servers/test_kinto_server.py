# SPDX-License-Identifier: Apache-2.0
#
# Kinto starts, signs what openssl verifies, and never outlives the process that started
# it. The end-to-end tests rely on all three.
"""Tests of the real server."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from Servers.kinto_server import KintoServer
from Servers.signing import verifies
from Servers.waiting import wait_until


@pytest.fixture(scope="module")
def kinto() -> Iterator[KintoServer]:
    with KintoServer() as running:
        running.admin.create_collection("c")
        yield running


def is_genuine(answer: dict[str, Any], kinto: KintoServer) -> bool:
    signature = answer["metadata"]["signature"]["signature"]
    return verifies(signature, answer["changes"], answer["timestamp"], kinto.chain_pem)


def test_a_published_record_can_be_fetched_and_has_a_valid_signature(kinto: KintoServer) -> None:
    kinto.admin.put_record("c", "a", {"n": 1, "d": 1.5, "u": "é😀", "nul": None})
    timestamp = kinto.admin.publish("c")
    answer = kinto.admin.changeset("c")
    assert answer["timestamp"] == timestamp
    assert [record["id"] for record in answer["changes"]] == ["a"]
    assert is_genuine(answer, kinto)


def test_publishing_an_edit_or_a_deletion_increases_the_timestamp_of_the_collection(kinto: KintoServer) -> None:
    kinto.admin.put_record("c", "edited", {"n": 1})
    first = kinto.admin.publish("c")
    kinto.admin.edit_record("c", "edited", {"n": 2})
    second = kinto.admin.publish("c")
    kinto.admin.delete_record("c", "edited")
    third = kinto.admin.publish("c")
    assert first < second < third
    assert is_genuine(kinto.admin.changeset("c"), kinto)


def test_signing_a_collection_again_keeps_its_timestamp_and_changes_its_signature(kinto: KintoServer) -> None:
    before = kinto.admin.changeset("c")
    kinto.admin.re_sign("c")
    after = kinto.admin.changeset("c")
    assert after["timestamp"] == before["timestamp"]
    assert after["metadata"]["signature"] != before["metadata"]["signature"]
    assert is_genuine(after, kinto)


def test_the_test_server_serves_the_certificate_chain_or_an_error_on_demand(kinto: KintoServer) -> None:
    x5u = kinto.admin.changeset("c")["metadata"]["signature"]["x5u"]
    assert urllib.request.urlopen(x5u).read().decode() == kinto.chain_pem
    kinto.files.failing_status = 404
    try:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(x5u)
    finally:
        kinto.files.failing_status = None


def test_a_stopped_kinto_server_refuses_connections_and_restarts_on_the_same_port() -> None:
    with KintoServer() as kinto:
        url = kinto.url
        kinto.stop()
        with pytest.raises(urllib.error.URLError, match="refused"):
            urllib.request.urlopen(url)
        kinto.start()
        assert kinto.url == url
        assert json.load(urllib.request.urlopen(f"{url}/"))["capabilities"]["signer"]


def test_kinto_exits_when_its_parent_process_is_killed(tmp_path: Path) -> None:
    package_parent = Path(__file__).resolve().parents[1]
    parent = subprocess.Popen(
        [sys.executable, "-m", "Servers", "kinto", "--port", "0"],
        env={**os.environ, "PYTHONPATH": str(package_parent), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    url = parent.stdout.readline().strip().removeprefix("url=")
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: _refuses(url), "Kinto to die with its parent")


def _refuses(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=5)
    except (urllib.error.URLError, ConnectionError):
        return True
    return False


def test_an_attached_file_can_be_downloaded_at_the_location_in_its_published_record(kinto: KintoServer) -> None:
    kinto.admin.put_record("c", "attached", {"n": 1})
    kinto.admin.attach("c", "attached", "notes.txt", b"first\r\nsecond\0")
    kinto.admin.publish("c")
    answer = kinto.admin.changeset("c")
    attachment = next(record["attachment"] for record in answer["changes"] if record["id"] == "attached")
    assert (attachment["filename"], attachment["size"]) == ("notes.txt", 14) and is_genuine(answer, kinto)
    with urllib.request.urlopen(f"{kinto.url}/", timeout=10) as response:
        base_url = json.load(response)["capabilities"]["attachments"]["base_url"]
    with urllib.request.urlopen(base_url + attachment["location"], timeout=10) as response:
        content = response.read()
    assert content == b"first\r\nsecond\0" and hashlib.sha256(content).hexdigest() == attachment["hash"]
