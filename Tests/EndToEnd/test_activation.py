# SPDX-License-Identifier: Apache-2.0
#
# When what is fetched becomes live: over restarts, and between processes that share a directory. The numbered cases of
# one session are in test_settings.py.
"""Activation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_lies
from Servers.loopback import Request, Response
from Servers.v2_faults import Fault
from Servers.v2_server import CHANGESET
from Servers.waiting import wait_until


def stage(host: Driver) -> None:
    """A refresh that must bring something newer, and leave it waiting."""
    answer = host.refresh()
    assert answer["outcome"] == "staged", answer
    assert host.succeed("info")["has_staged"] == 1


def cached(v2: V2Source, hosts: Hosts) -> None:
    """An earlier run has fetched a=1."""
    v2.publish("a", n=1)
    hosts.fetch(v2)


@contextmanager
def held_refresh(v2: V2Source, host: Driver) -> Iterator[None]:
    """A refresh whose answer comes at the end of the block."""

    def held(_: Request, honest: Response) -> Response:
        gate.wait(30)
        return honest

    gate = threading.Event()
    requests = len(v2.requests())
    v2.server.set_fault(CHANGESET, Fault(respond=held))
    host.succeed("begin_refresh")
    wait_until(lambda: len(v2.requests()) > requests, "the request")
    yield
    gate.set()
    v2.server.clear_faults()


def test_a_fetched_version_that_is_not_activated_yet_is_reported_by_one_event(v2: V2Source, hosts: Hosts) -> None:
    cached(v2, hosts)
    timestamp = v2.publish("a", n=2)
    host = hosts.open(v2, activation="manual")
    host.succeed("subscribe")
    stage(host)
    event = host.event()
    assert (event["cause"], event["outcome"], event["staged"]["version"]) == ("refreshed", "staged", timestamp)
    assert (event["version"], event["changes"]) == (host.version(), [])
    host.refresh()
    assert host.event()["outcome"] == "unchanged"
    assert host.is_silent()


def test_with_manual_activation_the_old_data_is_read_even_after_a_restart_until_the_program_activates_new_data(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    timestamp = v2.publish("a", n=2)
    first = hosts.open(v2, activation="manual")
    stage(first)
    host = hosts.open(v2, activation="manual", on_event=True, after=first)
    assert host.event()["staged"]["version"] == timestamp
    assert host.get_int("a", "/n") == 1
    assert host.succeed("activate")["value"] == "updated"
    event = host.event()
    assert (event["cause"], event["version"], event["origin"]) == ("activated", timestamp, "cached")
    assert [(one["kind"], one["key"]) for one in event["changes"]] == [("updated", "a")]
    assert host.succeed("activate")["value"] == "unchanged"
    assert hosts.open(v2, activation="manual", after=host).get_int("a", "/n") == 2


def test_a_refresh_requests_changes_since_the_last_fetched_version_even_if_it_is_not_activated_yet(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    timestamp = v2.publish("b", n=2)
    host = hosts.open(v2, activation="manual")
    stage(host)
    v2.publish("c", n=3)
    stage(host)
    assert v2.last_since() == str(timestamp)
    assert set(host.values()) == {"a"}
    host.succeed("activate")
    assert set(host.values()) == {"a", "b", "c"}


def test_a_response_is_not_used_if_it_is_older_than_a_fetched_version_that_is_not_activated_yet(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    v2.publish("a", n=3)
    host = hosts.open(v2, activation="manual")
    stage(host)
    v2.server.set_fault(CHANGESET, v2_lies.replay(-2))
    assert host.refresh()["outcome"] == "not_newer"
    host.succeed("activate")
    assert host.get_int("a", "/n") == 3


def test_with_manual_activation_a_sync_stores_a_changed_collection_and_does_not_request_it_again(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    host = hosts.open(v2, activation="manual")
    report = host.succeed("sync")
    assert (report["staged"], report["updated"], report["failed"]) == (1, 0, 0)
    requests = len(v2.requests())
    assert host.succeed("sync")["unchanged"] == 1
    assert len(v2.requests()) == requests


def test_with_manual_activation_a_periodic_refresh_does_not_change_the_values_that_are_read(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    host = hosts.open(v2, activation="manual", refresh_interval=1, on_event=True)
    assert [host.event()["outcome"], host.event()["outcome"]] == ["none", "staged"]
    assert host.get_int("a", "/n") == 1


@pytest.mark.parametrize("ending", ["exit", "kill"])
def test_fetched_data_that_is_not_activated_yet_is_read_after_the_process_exited_or_was_killed(
    v2: V2Source, hosts: Hosts, ending: str
) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    host = hosts.open(v2, activation="next_setup")
    stage(host)
    if ending == "kill":
        host.kill()
    else:
        host.succeed("exit")
    assert hosts.open(v2, activation="next_setup").get_int("a", "/n") == 2


def test_for_every_process_a_reset_deletes_fetched_data_that_is_not_activated_yet(v2: V2Source, hosts: Hosts) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    host = hosts.open(v2, activation="manual")
    stage(host)
    host.succeed("reset")
    assert host.succeed("info")["has_staged"] == 0
    assert hosts.open(v2).origin() == "none"


def test_two_processes_with_different_activation_modes_read_different_versions(v2: V2Source, hosts: Hosts) -> None:
    cached(v2, hosts)
    waiting = hosts.open(v2, activation="manual")
    waiting.succeed("subscribe")
    timestamp = v2.publish("a", n=2)
    eager = hosts.updated(v2)
    event = waiting.event()
    assert (event["cause"], event["outcome"], event["staged"]["version"]) == ("adopted", "staged", timestamp)
    assert (waiting.get_int("a", "/n"), eager.get_int("a", "/n")) == (1, 2)
    eager.succeed("subscribe")
    timestamp = v2.publish("a", n=3)
    stage(waiting)
    event = eager.event()
    assert (event["cause"], event["version"]) == ("adopted", timestamp)
    assert (waiting.get_int("a", "/n"), eager.get_int("a", "/n")) == (1, 3)
    requests = len(v2.requests())
    assert waiting.succeed("activate")["value"] == "updated"
    assert waiting.get_int("a", "/n") == 3
    assert len(v2.requests()) == requests


def test_after_freeze_a_process_does_not_read_data_that_another_process_fetched(v2: V2Source, hosts: Hosts) -> None:
    cached(v2, hosts)
    deaf = hosts.open(v2)
    deaf.succeed("freeze")
    v2.publish("a", n=2)
    hosts.updated(v2)
    assert deaf.succeed("wait")["status"] == "REMORA_OK"
    assert (deaf.get_int("a", "/n"), deaf.succeed("info")["has_staged"]) == (1, 1)


def test_data_that_is_activated_while_another_process_refreshes_is_read_at_once_and_stored_later(
    v2: V2Source, hosts: Hosts
) -> None:
    cached(v2, hosts)
    v2.publish("a", n=2)
    host = hosts.open(v2, activation="manual")
    stage(host)
    other = hosts.open(v2, activation="manual")
    with held_refresh(v2, other):
        assert host.succeed("activate")["value"] == "updated"
        assert host.get_int("a", "/n") == 2
    other.completion()
    other.end()
    # The next refresh has the files, and promotes first.
    v2.publish("a", n=3)
    stage(host)
    assert hosts.open(v2, activation="manual", after=host).get_int("a", "/n") == 2
