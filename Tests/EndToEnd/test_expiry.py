# SPDX-License-Identifier: Apache-2.0
#
# Tags that somebody subscribes: refreshed when they expire, once for all processes of a directory, and over outages.
"""Remote settings: tags that expire."""

from __future__ import annotations

from EndToEnd.driver import Clock, Driver
from EndToEnd.settings_hosts import PATH, SettingsHosts
from Servers.loopback import Response
from Servers.waiting import wait_until

HOUR = 1 / 24
# All of its lifetime, and of the part behind it over which hosts are spread.
EXPIRED = HOUR * 1.1


def subscribed(settings: SettingsHosts, clock: Clock | None = None) -> Driver:
    """A host with a subscribed tag that was fetched now or before."""
    host = settings.open(tag="x", clock=clock)
    host.succeed("wait")
    host.succeed("subscribe")
    return host


def test_settings_with_a_tag_and_a_subscriber_are_refreshed_when_their_max_age_has_passed(
    settings: SettingsHosts,
) -> None:
    short_lived = {"Cache-Control": "max-age=1"}
    settings.server.answer(Response(headers=short_lived, body=b'{"a":1}'), PATH)
    host = subscribed(settings)
    settings.server.answer(Response(headers=short_lived, body=b'{"a":2}'), PATH)
    wait_until(lambda: host.event()["outcome"] == "updated", "the new settings")
    assert host.get_int("a") == 2
    assert all(one.target.endswith("?tag=x") for one in settings.requests())


def test_one_of_several_processes_sends_the_request_for_all_when_settings_with_a_tag_expire(
    settings: SettingsHosts, clock: Clock
) -> None:
    settings.say(a=1)
    hosts = [subscribed(settings, clock) for _ in range(3)]
    assert len(settings.requests()) == 1
    settings.say(a=2)
    clock.move(days=EXPIRED)
    assert {host.event()["outcome"] for host in hosts} <= {"updated", "none"}
    assert [host.get_int("a") for host in hosts] == [2, 2, 2]
    assert len(settings.requests()) == 2
    assert all(host.is_silent() for host in hosts)


def test_a_server_outage_is_reported_once_and_expired_settings_are_refreshed_after_the_outage(
    settings: SettingsHosts, clock: Clock
) -> None:
    settings.say(a=1)
    host = subscribed(settings, clock)
    settings.server.answer(Response(status=500), PATH)
    clock.move(days=EXPIRED)
    assert host.event()["outcome"] == "failed"
    assert host.get_int("a") == 1
    settings.say(a=2)
    # Later than any second attempt.
    clock.move(days=EXPIRED + HOUR)
    wait_until(lambda: host.event()["outcome"] == "updated", "the new settings")
    assert (host.get_int("a"), len(settings.requests())) == (2, 3)


def test_no_request_is_sent_for_expired_settings_without_a_subscriber(settings: SettingsHosts, clock: Clock) -> None:
    host = settings.say(a=1).open(tag="x", clock=clock)
    host.succeed("wait")
    other = settings.open(tag="y", clock=clock, on_event=True)
    assert other.event()["cause"] == "opened"
    other.succeed("wait")
    assert other.event()["outcome"] == "updated"
    # Between two looks of the other's worker the first one's has looked as well.
    for hours in [EXPIRED, 2 * EXPIRED]:
        clock.move(days=hours)
        assert other.event()["outcome"] == "unchanged"
    assert host.get_int("a") == 1
    assert [one.target.partition("?")[2] for one in settings.requests()] == ["tag=x", "tag=y", "tag=y", "tag=y"]
