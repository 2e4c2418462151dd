# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of tags that are prefetched and waited for, each under its number.
"""Remote settings: lifetimes and waits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from EndToEnd.driver import REFRESH_MS, Driver
from EndToEnd.settings_hosts import PATH, SettingsHosts, nothing_is_told, number
from Servers.loopback import Request, Response
from Servers.waiting import wait_until


def cached(settings: SettingsHosts, value: int = 5, **options: Any) -> Driver:
    """A host whose tag has an expired value in its cache."""
    settings.say(k=value)
    settings.fetch(tag="x")
    return settings.open(tag="x", ttl=-1, **options)


def awaited(host: Driver, timeout_ms: int = -1) -> str:
    """The status of an await."""
    return str(host.run("await", timeout_ms)["status"])


def asked(settings: SettingsHosts) -> int:
    """How often the server was asked."""
    return len(settings.requests())


@pytest.fixture
def gate(settings: SettingsHosts) -> threading.Event:
    """Every answer is {"k": 9}, and waits for this."""
    gate = threading.Event()

    def held(_: Request) -> Response:
        gate.wait(10)
        return Response(body=b'{"k":9}')

    settings.server.answer(held, PATH)
    return gate


def test_t02_what_was_prefetched_is_waited_for_without_a_request(settings: SettingsHosts) -> None:
    settings.say(k=1)
    host = settings.open(tag="x")
    host.succeed("await-async", -1)
    assert host.succeed("completion", REFRESH_MS)["completion"] == "REMORA_OK"
    settings.say(k=2)
    assert awaited(host) == "REMORA_OK"
    assert (number(host, "k"), asked(settings)) == (1, 1)


def test_t03_who_waits_joins_a_prefetch(settings: SettingsHosts, gate: threading.Event) -> None:
    host = settings.open(tag="x")
    host.succeed("await-async", -1)
    wait_until(lambda: asked(settings) == 1, "the request")
    host.send("await -1")
    gate.set()
    assert host.read()["status"] == "REMORA_OK"
    assert (number(host, "k"), asked(settings)) == (9, 1)


def test_t05_a_prefetch_that_fails_is_told_and_changes_nothing(settings: SettingsHosts) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    settings.server.answer(Response(status=500), PATH)
    host.succeed("await-async", -1)
    assert host.event()["outcome"] == "failed"
    answer = host.succeed("completion", REFRESH_MS)
    assert (answer["completion"], answer["origin"], number(host, "k")) == ("REMORA_ERR_HTTP", "cached", 5)


def test_t06_who_unsubscribed_is_not_told_of_a_prefetch(settings: SettingsHosts) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    host.succeed("unsubscribe")
    host.succeed("await-async", -1)
    host.succeed("completion", REFRESH_MS)
    assert nothing_is_told(host)


def test_t08_without_cache_and_server_the_default_is_the_answer(settings: SettingsHosts) -> None:
    settings.server.stop()
    host = settings.open(tag="x")
    assert awaited(host) == "REMORA_ERR_NETWORK"
    assert host.succeed("get", "int", "k", None, 3)["value"] == 3


@pytest.mark.parametrize("is_down", [False, True])
def test_t09_t17_without_an_answer_the_cached_value_stays(settings: SettingsHosts, is_down: bool) -> None:
    host = cached(settings)
    settings.server.answer(Response(status=500), PATH)
    if is_down:
        settings.server.stop()
    assert awaited(host) != "REMORA_OK"
    assert number(host, "k") == 5


@pytest.mark.parametrize("has_cache", [True, False])
def test_t11_t12_a_late_answer_changes_nothing(settings: SettingsHosts, has_cache: bool) -> None:
    host = cached(settings) if has_cache else settings.open(tag="x", ttl=-1)
    gate = threading.Event()

    def held(_: Request) -> Response:
        gate.wait(10)
        return Response(body=b'{"k":9}')

    settings.server.answer(held, PATH)
    host.succeed("subscribe")
    answer = host.run("await", 500)
    assert answer["status"] == "REMORA_ERR_TIMEOUT"
    assert 250 <= answer["elapsed_ms"] < 1500
    gate.set()
    assert nothing_is_told(host)
    assert host.succeed("get", "int", "k", None, 3)["value"] == (5 if has_cache else 3)


def test_t14_each_waits_as_long_as_it_said(settings: SettingsHosts, gate: threading.Event) -> None:
    host = settings.open(tag="x")
    host.succeed("refresh-async")
    host.succeed("await-async", 300)
    assert host.succeed("completion", REFRESH_MS)["completion"] == "REMORA_ERR_TIMEOUT"
    gate.set()
    answer = host.succeed("completion", REFRESH_MS)
    assert (answer["completion"], answer["outcome"]) == ("REMORA_OK", "updated")
    assert (number(host, "k"), asked(settings)) == (9, 1)


def test_t15_no_time_is_no_request_and_less_is_refused(settings: SettingsHosts) -> None:
    host = cached(settings)
    requests = asked(settings)
    for command in ["await", "await-async"]:
        assert host.run(command, 0)["status"] == "REMORA_OK"
        assert host.run(command, -2)["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert host.succeed("completion", REFRESH_MS)["completion"] == "REMORA_OK"
    assert asked(settings) == requests


def test_t18_a_key_that_a_fresh_answer_lacks_is_absent(settings: SettingsHosts) -> None:
    host = cached(settings)
    settings.say(other=1)
    assert awaited(host) == "REMORA_OK"
    assert host.succeed("get", "int", "k", None, 3)["value"] == 3


def test_t20_a_client_closes_while_a_wait_hangs(settings: SettingsHosts, gate: threading.Event) -> None:
    host = settings.open(tag="x")
    host.succeed("await-async", -1)
    wait_until(lambda: asked(settings) == 1, "the request")
    assert host.succeed("close")["elapsed_ms"] < 2000
    assert host.run("completion", 0)["status"] == "REMORA_ERR_TIMEOUT"
    gate.set()


def test_the_server_says_how_long_an_answer_is_fresh_also_to_the_next_session(settings: SettingsHosts) -> None:
    settings.server.answer(Response(headers={"Cache-Control": "max-age=0"}, body=b'{"k":1}'), PATH)
    settings.fetch(tag="x")
    host = settings.open(tag="x")
    awaited(host)
    assert asked(settings) == 2
    settings.server.answer(Response(headers={"Cache-Control": "max-age=600"}, body=b'{"k":2}'), PATH)
    awaited(host)
    awaited(host)
    assert (asked(settings), number(host, "k")) == (3, 2)
    host.end()
    assert awaited(settings.open(tag="x")) == "REMORA_OK"
    assert awaited(settings.open(tag="x", ttl=-1)) == "REMORA_OK"
    assert asked(settings) == 4
