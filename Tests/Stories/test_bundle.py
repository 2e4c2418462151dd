# SPDX-License-Identifier: Apache-2.0
#
# A program with a remote configuration: its defaults, what the server says, and a user id of its own.
"""Tests of the examples that open a bundle."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from Servers.bundle_server import BundleServer, element, removal
from Stories.languages import TRACKERS, Example


@pytest.mark.parametrize("tracker", TRACKERS, ids=str)
def test_a_user_id_that_the_bundle_example_sets_at_run_time_survives_a_refresh(
    tracker: Example, tmp_path: Path
) -> None:
    with BundleServer() as server:
        server.publish(2, element("app", subject={"userId": "theirs"}))
        done = tracker.run(server.url(), tmp_path / "storage")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    # Events that come while a callback is late merge, and end with the client: how many lines there are is chance.
    events = [line for line in lines if not line.startswith(("app ", "namespace "))]
    allowed = {
        "success state=default namespaces=app version=1",
        "success state=fetched namespaces=app version=2",
        "event cause=refreshed outcome=unchanged",
        "event cause=override outcome=none",
    }
    assert set(events) <= allowed
    assert sum(line.startswith("success state=fetched") for line in events) <= 1, "UNCHANGED is no success"
    assert "namespace app (default)" in lines
    states = [line for line in lines if line.startswith("app ")]
    assert states == [
        "app endpoint=https://app.example user=theirs session=1",
        "app endpoint=https://app.example user=me session=1",
    ]


@pytest.mark.parametrize("tracker", TRACKERS, ids=str)
def test_the_bundle_example_prints_the_namespaces_in_the_received_bundle_and_no_others(
    tracker: Example, tmp_path: Path
) -> None:
    with BundleServer() as server:
        server.publish(2, element("a"), element("app"), element("b"))
        tracker.run(server.url(), tmp_path / "storage")
        # "a" is removed, "app" is no longer listed and so carried over, and "b" and "c" are in the bundle.
        server.publish(3, removal("a"), element("c"), element("b"))
        done = tracker.run(server.url(), tmp_path / "storage")
    lines = done.stdout.splitlines()
    # A callback that is late ends with the client, so that a line may be missing.
    successes = {line for line in lines if line.startswith("success ")}
    assert successes <= {
        "success state=cached namespaces=a,app,b version=2",
        "success state=fetched namespaces=c,b version=3",
    }
    assert [line for line in lines if line.startswith("namespace ")] == [
        "namespace c", "namespace b", "namespace app (default) (not in this bundle)"
    ]  # fmt: skip


@pytest.mark.parametrize("tracker", TRACKERS, ids=str)
def test_without_a_server_the_bundle_example_uses_the_cache_or_else_the_default_bundle(
    tracker: Example, tmp_path: Path
) -> None:
    numbers = itertools.count()
    offline = tracker.run_until_printed(
        "success state=default namespaces=app version=1",
        "event cause=refreshed outcome=failed error=REMORA_ERR_NETWORK",
        arguments=lambda: ("http://127.0.0.1:1/bundle.json", tmp_path / f"offline-{next(numbers)}"),
    )
    with BundleServer() as server:
        url = server.url()
        server.publish(2, element("app"))
        tracker.run(url, tmp_path / "storage")
    cached = tracker.run(url, tmp_path / "storage")
    assert "app endpoint=https://collector.example user=nobody session=1" in offline.stdout
    assert "state=default" not in cached.stdout
    assert "app endpoint=https://app.example user=nobody session=1" in cached.stdout
    assert (offline.returncode, cached.returncode) == (0, 0)
