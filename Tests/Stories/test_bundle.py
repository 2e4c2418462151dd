# SPDX-License-Identifier: Apache-2.0
#
# A program with a remote configuration: its defaults, what the server says, and a user id of its own.
"""Tests of the examples that open a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from Servers.bundle_server import BundleServer, element
from Stories.languages import TRACKERS, Example


@pytest.mark.parametrize("tracker", TRACKERS, ids=str)
def test_a_user_id_set_at_run_time_survives_a_refresh(tracker: Example, tmp_path: Path) -> None:
    with BundleServer() as server:
        server.publish(2, element("app", subject={"userId": "theirs"}))
        done = tracker.run(server.url(), tmp_path / "storage")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    # Events that come while a callback is late merge, and end with the client: how many lines there are is chance.
    events = [line for line in lines if not line.startswith(("app ", "namespace "))]
    assert all(line.startswith(("default version=1 changes=", "fetched version=2 changes=")) for line in events)
    assert all(" namespaces=app" in line for line in events)
    assert "namespace app (default)" in lines
    states = [line for line in lines if line.startswith("app ")]
    assert states == [
        "app endpoint=https://app.example user=theirs session=1",
        "app endpoint=https://app.example user=me session=1",
    ]


@pytest.mark.parametrize("tracker", TRACKERS, ids=str)
def test_without_a_server_the_default_and_then_the_cache_hold(tracker: Example, tmp_path: Path) -> None:
    with BundleServer() as server:
        url = server.url()
        offline = tracker.run("http://127.0.0.1:1/bundle.json", tmp_path / "storage")
        server.publish(2, element("app"))
        tracker.run(url, tmp_path / "storage")
    cached = tracker.run(url, tmp_path / "storage")
    assert "app endpoint=https://collector.example user=nobody session=1" in offline.stdout
    assert "default version=1" not in cached.stdout
    assert "app endpoint=https://app.example user=nobody session=1" in cached.stdout
    assert (offline.returncode, cached.returncode) == (0, 0)
