# SPDX-License-Identifier: Apache-2.0
#
# A server that never answers holds nobody up: callers have their own time limit, can
# cancel, and closing the client ends everything within 200 ms.
"""Time limits, cancellation, close."""

from __future__ import annotations

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults
from Servers.v2_server import CHANGESET
from Servers.waiting import wait_until

CLOSE_MS = 200
SLACK_MS = 300
"""What a loaded machine may add."""


@pytest.fixture
def hanging(v2: V2Source, hosts: Hosts) -> Driver:
    """A host with good data, and a server that has stopped answering."""
    host = hosts.published(v2)
    v2.server.set_fault(CHANGESET, v2_faults.hang())
    return host


def wait_for_request(v2: V2Source, number: int = 2) -> None:
    """Until the server has that many requests for the collection."""
    wait_until(lambda: len(v2.requests()) >= number, f"request {number} of {v2.collection}")


def test_closing_a_client_is_quick_while_a_refresh_is_running(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("begin_refresh")
    wait_for_request(v2)
    assert hanging.succeed("close")["elapsed_ms"] < CLOSE_MS + SLACK_MS
    assert hanging.end() == 0


def test_closing_a_client_ends_a_refresh_that_another_thread_waits_for(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("on_thread", "refresh")
    wait_for_request(v2)
    hanging.succeed("close")
    joined = hanging.completion()
    assert joined["status"] == "REMORA_ERR_CLOSED"
    assert joined["elapsed_ms"] < SLACK_MS


def test_a_process_can_exit_safely_while_a_refresh_is_running(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("on_thread", "refresh")
    wait_for_request(v2)
    hanging.succeed("exit")
    assert hanging.end() == 0


def test_a_refresh_ends_at_its_time_limit_if_the_server_does_not_respond(hanging: Driver) -> None:
    answer = hanging.run("refresh", 0.3)
    assert answer["status"] == "REMORA_ERR_TIMEOUT"
    assert 290 <= answer["elapsed_ms"] < 300 + 1000
    assert hanging.values()["a"]["n"] == 1


def test_await_returns_the_last_data_if_it_times_out(hanging: Driver) -> None:
    answer = hanging.run("wait", 0.3)
    assert (answer["status"], answer["origin"], answer["count"]) == ("REMORA_ERR_TIMEOUT", "fetched", 1)


def test_a_refresh_with_time_limit_0_sends_no_request(v2: V2Source, hanging: Driver) -> None:
    assert hanging.run("refresh", 0)["status"] == "REMORA_ERR_TIMEOUT"
    assert len(v2.requests()) == 1


def test_a_cancelled_refresh_completes_with_the_error_cancelled(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("begin_refresh")
    wait_for_request(v2)
    hanging.succeed("cancel")
    assert hanging.completion()["status"] == "REMORA_ERR_CANCELLED"


def test_reads_do_not_wait_for_a_running_refresh(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("begin_refresh")
    wait_for_request(v2)
    assert hanging.run("get_int", "a", "/n", 0)["elapsed_ms"] < SLACK_MS
    assert hanging.succeed("snapshot")["elapsed_ms"] < SLACK_MS


def test_concurrent_refreshes_share_one_request(v2: V2Source, hanging: Driver) -> None:
    hanging.succeed("begin_refresh")
    wait_for_request(v2)
    assert hanging.run("refresh", 0.3)["status"] == "REMORA_ERR_TIMEOUT"
    assert len(v2.requests()) == 2
