# SPDX-License-Identifier: Apache-2.0
#
# Genuine content that is out of place: older than what was accepted, other under the same timestamp, from the future;
# and clocks that are wrong. All of it is validly signed.
"""Freshness and time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.driver import Clock, Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_lies
from Servers.pki import Authority, leaf_claims
from Servers.v2_server import CHANGESET, V2Server

FUTURE, EQUIVOCATION = "REMORA_ERR_FUTURE", "REMORA_ERR_EQUIVOCATION"
EXPIRED = "REMORA_ERR_CERTIFICATE_EXPIRED"
DAY_MS = 24 * 3600 * 1000
YEARS = 3650


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def serve(v2: V2Source, timestamp: int, **fields: object) -> None:
    """From now on one record "z" under that timestamp, validly signed, whatever is asked for."""
    record = {"id": "z", "last_modified": min(timestamp, 1000), **fields}
    v2.server.set_fault(CHANGESET, v2_lies.genuine([record], timestamp))


def assert_kept(host: Driver, timestamp: int) -> None:
    assert (host.version(), set(host.values())) == (timestamp, {"a"})


@pytest.fixture
def timestamp(v2: V2Source) -> int:
    """That of the one record that is published."""
    return v2.publish("a", n=1)


@pytest.mark.parametrize("behind", [1, 1000, DAY_MS, 40 * 365 * DAY_MS], ids=["1 ms", "1 s", "a day", "40 years"])
def test_a_response_with_an_older_timestamp_never_replaces_newer_data_even_after_a_restart(
    v2: V2Source, hosts: Hosts, timestamp: int, behind: int
) -> None:
    host = hosts.updated(v2)
    for _ in range(2):
        serve(v2, timestamp - behind)
        host.succeed("subscribe")
        assert host.refresh()["outcome"] == "not_newer"
        event = host.event()
        assert (event["outcome"], event["changes"]) == ("not_newer", [])
        assert_kept(host, timestamp)
        host = hosts.open(v2, after=host)
        assert_kept(host, timestamp)


def test_a_collection_with_the_timestamp_0_is_accepted(v2: V2Source, hosts: Hosts, timestamp: int) -> None:
    serve(v2, 0)
    host = hosts.updated(v2)
    assert (host.origin(), host.version(), set(host.values())) == ("fetched", 0, {"z"})
    v2.server.clear_faults()
    host.update()
    assert_kept(host, timestamp)
    serve(v2, 0)
    assert host.refresh()["outcome"] == "not_newer"


def test_content_that_differs_from_accepted_content_with_the_same_timestamp_is_refused_even_after_a_restart(
    v2: V2Source, hosts: Hosts, timestamp: int
) -> None:
    host = hosts.updated(v2)
    for _ in range(2):
        serve(v2, timestamp, n=2)
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == (EQUIVOCATION, "refused")
        assert str(timestamp) in answer["message"]
        assert_kept(host, timestamp)
        host = hosts.open(v2, after=host)
    v2.server.clear_faults()
    assert host.refresh()["outcome"] == "unchanged"


@pytest.mark.parametrize(
    "far",
    [now_ms() + 2 * DAY_MS, (1 << 53) - 1, 1 << 53, 253_402_300_799_999, (1 << 63) - 1],
    ids=["two days", "2^53 - 1", "2^53", "year 9999", "2^63 - 1"],
)
def test_a_timestamp_far_in_the_future_is_refused_and_does_not_prevent_later_updates(
    v2: V2Source, hosts: Hosts, timestamp: int, far: int
) -> None:
    host = hosts.updated(v2)
    serve(v2, far)
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == (FUTURE, "refused")
    assert str(far) in answer["message"]
    assert_kept(host, timestamp)
    successor = hosts.open(v2, after=host)
    assert successor.refresh()["status"] == FUTURE
    assert_kept(successor, timestamp)
    v2.server.clear_faults()
    newer = v2.publish("a", n=2)
    successor.update()
    assert successor.version() == newer


@pytest.mark.parametrize("far", [1 << 53, (1 << 63) - 1], ids=["2^53", "2^63 - 1"])
def test_after_a_wrong_timestamp_in_the_far_future_was_accepted_a_reset_allows_updates_again(
    v2: V2Source, hosts: Hosts, timestamp: int, far: int
) -> None:
    host = hosts.open(v2, max_future=math.inf)
    serve(v2, far)
    host.update()
    assert (host.version(), set(host.values())) == (far, {"z"})
    v2.server.clear_faults()
    assert host.refresh()["outcome"] == "not_newer"
    host = hosts.open(v2, max_future=math.inf, after=host)
    assert (host.origin(), host.version()) == ("cached", far)
    assert host.refresh()["outcome"] == "not_newer"
    host.succeed("reset")
    assert host.origin() == "none"
    host = hosts.open(v2, max_future=math.inf, after=host)
    assert host.origin() == "none"
    host.update()
    assert_kept(host, timestamp)


def test_the_limit_for_future_timestamps_is_an_option_and_is_one_day_by_default(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.open(v2, max_future=60)
    serve(v2, now_ms() + 120_000)
    assert host.refresh()["status"] == FUTURE
    usual = hosts.updated(v2, storage=hosts.storage.parent / "usual")
    serve(v2, now_ms() + DAY_MS + 60_000)
    assert usual.refresh()["status"] == FUTURE
    serve(v2, now_ms() + DAY_MS - 60_000)
    usual.update()


def test_if_the_clock_is_far_ahead_certificate_chains_are_refused_as_expired_and_no_data_is_lost(
    v2: V2Source, hosts: Hosts, timestamp: int, clock: Clock
) -> None:
    host = hosts.updated(v2, clock=clock)
    v2.publish("b", n=1)
    clock.move(days=YEARS * 2)
    answer = host.refresh()
    assert (answer["status"], "is expired" in answer["message"]) == (EXPIRED, True)
    assert_kept(host, timestamp)
    clock.move(days=0)
    host.update()
    assert set(host.values()) == {"a", "b"}


def test_if_the_clock_is_far_behind_certificate_chains_are_refused_as_not_yet_valid(
    v2: V2Source, hosts: Hosts, timestamp: int, clock: Clock
) -> None:
    clock.move(days=-YEARS)
    host = hosts.open(v2, clock=clock)
    answer = host.refresh()
    assert (answer["status"], "not yet valid" in answer["message"]) == (EXPIRED, True)
    assert host.origin() == "none"
    clock.move(days=0)
    host.update()
    assert_kept(host, timestamp)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def signed(authority: Authority) -> Iterator[V2Source]:
    with V2Server(authority.chain()) as server:
        source = V2Source(server, "c", authority.root_sha256)
        source.publish("a", n=1)
        yield source


def test_setting_the_clock_back_does_not_make_an_expired_certificate_chain_valid(
    authority: Authority, signed: V2Source, hosts: Hosts, clock: Clock
) -> None:
    host = hosts.updated(signed, clock=clock)
    timestamp = host.version()
    # Expired ten days ago; its key was stolen, and the clock is set to when it was good.
    signed.server.rotate(authority.chain(leaf_claims(since_days=-30, until_days=-10)))
    signed.publish("b", n=1)
    clock.move(days=-20)
    assert host.refresh()["status"] == EXPIRED
    assert_kept(host, timestamp)
    successor = hosts.open(signed, clock=clock, after=host)
    assert successor.refresh()["status"] == EXPIRED
    assert_kept(successor, timestamp)
    # Nor does an installer accept it.
    seed = ["seed", "--collection", signed.collection, *tool.at(signed)]
    seeded = tool.run(*seed, hosts.storage, clock=clock.file)
    assert (seeded.status, "is expired" in seeded.complaint) == (4, True), seeded
    assert tool.run(*seed, hosts.storage.parent / "new", clock=clock.file).status in (0, 5)
    # A host that never saw a later time has nothing to hold against it.
    hosts.updated(signed, clock=clock, storage=hosts.storage.parent / "fresh", max_future=math.inf)


def test_after_the_clock_was_wrongly_ahead_a_reset_makes_remora_accept_the_corrected_time(
    authority: Authority, signed: V2Source, hosts: Hosts, clock: Clock
) -> None:
    host = hosts.open(signed, clock=clock, max_future=math.inf)
    signed.server.rotate(authority.chain(leaf_claims(since_days=90, until_days=110)))
    clock.move(days=100)
    host.update()
    # The clock was wrong: what is good now is expired, or not yet there, by what was seen.
    signed.server.rotate(authority.chain(leaf_claims(since_days=-1, until_days=50)))
    signed.publish("b", n=1)
    clock.move(days=0)
    assert host.refresh()["status"] == EXPIRED
    host.succeed("reset")
    host.update()
    assert set(host.values()) == {"a", "b"}
