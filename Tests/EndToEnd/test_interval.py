# SPDX-License-Identifier: Apache-2.0
#
# Hosts that never ask: settings arrive by the interval, over outages, and once for all
# processes of a directory.
"""Refreshes by interval."""

from __future__ import annotations

import time

from EndToEnd.hosts import Hosts, V2Source
from Servers.waiting import wait_until

INTERVAL = 1.0
SECONDS = 30.0


def test_a_source_with_a_refresh_interval_fetches_changes_again_after_a_server_outage(
    v2: V2Source, hosts: Hosts
) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2, refresh_interval=INTERVAL, on_event=True)

    def event(outcome: str) -> None:
        wait_until(lambda: host.event()["outcome"] == outcome, f"the outcome {outcome}", SECONDS)

    event("updated")
    assert host.values()["a"]["n"] == 1
    v2.server.stop()
    event("failed")
    v2.server.start()
    v2.publish("a", n=2)
    event("updated")
    assert host.values()["a"]["n"] == 2


def test_processes_that_share_a_storage_directory_together_send_one_request_per_interval(
    v2: V2Source, hosts: Hosts
) -> None:
    v2.publish("a", n=1)
    start = time.monotonic()
    processes = [hosts.open(v2, refresh_interval=INTERVAL, fetch_at_open=False) for _ in range(4)]
    wait_until(lambda: len(v2.requests()) >= 5, "five requests", SECONDS)
    # At least half an interval lies between two requests, whoever makes them.
    assert time.monotonic() - start >= 4 * INTERVAL / 2
    wait_until(lambda: all("a" in process.values() for process in processes), "the settings", SECONDS)


def test_events_report_that_data_became_stale_during_a_server_outage_and_fresh_after_it(
    v2: V2Source, hosts: Hosts
) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2, refresh_interval=INTERVAL, on_event=True, setup={"max_stale": 3 * INTERVAL})

    def change(old: str, new: str) -> None:
        def is_reported() -> bool:
            event = host.event()
            return event["cause"] == "freshness" and (event["old_freshness"], event["freshness"]) == (old, new)

        wait_until(is_reported, f"the transition from {old} to {new}", SECONDS)
        assert host.succeed("info")["freshness"] == new

    change("never", "fresh")
    v2.server.stop()
    change("fresh", "stale")
    assert host.values()["a"]["n"] == 1
    v2.server.start()
    v2.publish("a", n=2)
    change("stale", "fresh")
    assert host.values()["a"]["n"] == 2
