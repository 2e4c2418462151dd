# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of the sessions of settings, each under its number: what a session sees of what it fetches.
"""Remote settings: sessions and refreshes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from EndToEnd.driver import Driver
from EndToEnd.hosts import ON_NGINX_TOO
from EndToEnd.settings_hosts import PATH, SettingsHosts, StaticSettingsHosts
from Servers.loopback import Request, Response
from Servers.waiting import wait_until


def told_to_the_end(host: Driver, outcome: str) -> None:
    """A refresh of which all has been told: completions come after the events."""
    host.succeed("begin_refresh")
    assert host.completion()["outcome"] == outcome


@contextmanager
def held_answer(settings: SettingsHosts, **values: object) -> Iterator[None]:
    """The server answers with this dictionary at the end of the block."""

    def held(_: Request) -> Response:
        gate.wait(30)
        return Response(body=json.dumps(values).encode())

    gate = threading.Event()
    settings.server.answer(held, PATH)
    try:
        yield
    finally:
        gate.set()
        settings.say(**values)


@ON_NGINX_TOO
def test_m01_settings_contain_no_values_if_there_is_no_cache_and_no_server(settings: StaticSettingsHosts) -> None:
    settings.server.stop()
    host = settings.open()
    assert (host.origin(), host.values()) == ("none", {})
    assert host.refresh()["status"] == "REMORA_ERR_NETWORK"
    assert (host.origin(), host.get_int("a")) == ("none", -1)


@ON_NGINX_TOO
def test_m03_fetched_settings_can_be_read_at_the_next_opening_without_a_server(settings: StaticSettingsHosts) -> None:
    settings.say(a=1).fetch()
    settings.server.stop()
    host = settings.open()
    assert (host.origin(), host.get_int("a")) == ("cached", 1)


@ON_NGINX_TOO
def test_m04_settings_that_one_process_fetches_are_read_by_the_next_process(settings: StaticSettingsHosts) -> None:
    settings.say(a=1).fetch()
    host = settings.say(a=2).open(fetch_at_open=None, on_event=True)
    assert host.event()["cause"] == "opened"
    assert host.event()["outcome"] == "staged"
    assert host.refresh()["outcome"] == "unchanged"
    assert (host.origin(), host.get_int("a"), host.succeed("info")["has_staged"]) == ("cached", 1, 1)
    assert settings.open(after=host).get_int("a") == 2


def test_m06_a_response_that_arrives_after_freeze_is_used_by_the_next_process(settings: SettingsHosts) -> None:
    host = settings.say(a=1).fetch().open(activation="immediate")
    host.succeed("subscribe")
    with held_answer(settings, a=2):
        requests = len(settings.requests())
        host.succeed("begin_refresh")
        wait_until(lambda: len(settings.requests()) > requests, "the request")
        host.succeed("freeze")
    assert host.completion()["outcome"] == "staged"
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    assert host.is_silent()
    assert settings.open(after=host).get_int("a") == 2


@ON_NGINX_TOO
def test_m07_after_freeze_the_previous_settings_are_read_until_the_next_opening(
    settings: StaticSettingsHosts,
) -> None:
    host = settings.say(a=2).open(activation="immediate")
    assert host.refresh()["outcome"] == "updated"
    host.succeed("freeze")
    settings.say(a=3)
    assert host.refresh()["outcome"] == "staged"
    assert (host.origin(), host.get_int("a")) == ("fetched", 2)
    assert settings.open(after=host).get_int("a") == 3


def test_m09_one_fetch_is_reported_by_one_event(settings: SettingsHosts) -> None:
    host = settings.say(a=1).open()
    host.succeed("subscribe")
    told_to_the_end(host, "updated")
    assert host.event()["outcome"] == "updated"
    assert host.is_silent()


def test_m10_a_cancelled_subscription_receives_no_event(settings: SettingsHosts) -> None:
    host = settings.say(a=1).open()
    host.succeed("subscribe")
    host.succeed("unsubscribe")
    told_to_the_end(host, "updated")
    assert host.is_silent()


@ON_NGINX_TOO
def test_m12_with_immediate_activation_a_refresh_sends_one_request_and_its_values_can_be_read_at_once(
    settings: StaticSettingsHosts,
) -> None:
    host = settings.say(a=1).open(activation="immediate")
    assert host.refresh()["outcome"] == "updated"
    settings.say(a=2)
    assert host.refresh()["outcome"] == "updated"
    assert (len(settings.requests()), host.get_int("a"), host.origin()) == (2, 2, "fetched")


@ON_NGINX_TOO
def test_m13_the_request_is_sent_to_the_configured_url(settings: StaticSettingsHosts) -> None:
    settings.server.say(b'{"a":7}', "/other")
    host = settings.updated(url=settings.server.url("/other"), activation="immediate")
    assert host.get_int("a") == 7
    assert [one.target for one in settings.server.requests] == ["/other"]


def test_settings_with_the_option_memory_only_store_no_files(settings: SettingsHosts) -> None:
    host = settings.say(a=1).open(tag="t", memory_only=True)
    host.update()
    assert host.get_int("a") == 1
    assert settings.open(tag="t", after=host).get_int("a") == -1


def test_settings_that_change_back_to_earlier_content_have_a_new_version(settings: SettingsHosts) -> None:
    host = settings.open(tag="t")
    versions = []
    for value in [1, 2, 1]:
        settings.say(a=value)
        host.update()
        versions.append(host.version())
    assert versions == sorted(set(versions))
