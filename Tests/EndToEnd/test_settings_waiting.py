# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of tags that are prefetched and waited for, each under its number.
"""Remote settings: lifetimes and waits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from EndToEnd.driver import REFRESH_MS, Driver
from EndToEnd.settings_hosts import (
    ON_NGINX_TOO,
    PATH,
    SettingsHosts,
    StaticSettingsHosts,
    nothing_is_told,
    number,
    why_not,
)
from Servers.loopback import Request, Response
from Servers.waiting import wait_until


def cached(settings: StaticSettingsHosts, **options: Any) -> Driver:
    """A host whose tag has k=5 in its cache, and asks whenever it waits."""
    settings.say(k=5)
    settings.fetch(tag="x")
    return settings.open(**{"tag": "x", "ttl": -1, **options})


def awaited(host: Driver, timeout_ms: int = -1) -> str:
    """The status of an await."""
    return str(host.run("await", timeout_ms)["status"])


def asked(settings: StaticSettingsHosts) -> int:
    """How often the server was asked."""
    return len(settings.requests())


class Held:
    """From now on every answer is {"k": 9}, and waits until it is let go or nobody wants it any more."""

    def __init__(self, settings: SettingsHosts) -> None:
        self._gate = threading.Event()
        self._abandoned = threading.Event()
        self._settings = settings
        self._before = asked(settings)
        settings.server.answer(self._answer, PATH)

    def _answer(self, request: Request) -> Response:
        wait_until(lambda: self._gate.is_set() or request.is_abandoned(), "the gate")
        if request.is_abandoned():
            self._abandoned.set()
        return Response(body=b'{"k":9}')

    def wait_for_request(self) -> None:
        """Until one is held."""
        wait_until(lambda: self.requests, "the request")

    def wait_until_abandoned(self) -> None:
        """Until the connection of one was closed by who asked."""
        wait_until(self._abandoned.is_set, "the end of the connection")

    def let_go(self) -> None:
        """From now on answers come at once."""
        self._gate.set()

    @property
    def requests(self) -> int:
        """How many came since the beginning."""
        return asked(self._settings) - self._before


@ON_NGINX_TOO
def test_t02_await_sends_no_request_if_the_settings_were_just_fetched_in_the_background(
    settings: StaticSettingsHosts,
) -> None:
    settings.say(k=1)
    host = settings.open(tag="x")
    host.succeed("await-async", -1)
    assert host.succeed("completion", REFRESH_MS)["completion"] == "REMORA_OK"
    settings.say(k=2)
    assert host.succeed("await", -1)["json"] == {"k": 1}
    assert (number(host, "k"), asked(settings)) == (1, 1)


def test_t03_concurrent_asynchronous_awaits_of_the_same_settings_share_one_request(settings: SettingsHosts) -> None:
    host = settings.open(tag="x")
    held = Held(settings)
    host.succeed("await-async", -1)
    held.wait_for_request()
    host.succeed("await-async", -1)
    held.let_go()
    for _ in range(2):
        answer = host.succeed("completion", REFRESH_MS)
        assert (answer["completion"], answer["json"]) == ("REMORA_OK", {"k": 9})
    assert held.requests == 1


def test_t05_an_asynchronous_await_that_fails_reports_the_error_and_passes_the_cached_values(
    settings: SettingsHosts,
) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    settings.server.answer(Response(status=500), PATH)
    host.succeed("await-async", -1)
    assert host.event()["outcome"] == "failed"
    answer = host.succeed("completion", REFRESH_MS)
    assert (answer["completion"], answer["origin"], answer["json"]) == ("REMORA_ERR_HTTP", "cached", {"k": 5})
    assert (number(host, "k"), nothing_is_told(host)) == (5, True)


def test_t06_a_cancelled_subscription_receives_no_event_about_an_asynchronous_await(settings: SettingsHosts) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    host.succeed("unsubscribe")
    settings.say(k=6)
    host.succeed("await-async", -1)
    # Completions come after the events of the same refresh.
    assert host.succeed("completion", REFRESH_MS)["json"] == {"k": 6}
    assert nothing_is_told(host)


@ON_NGINX_TOO
def test_t08_if_await_finds_no_cache_and_no_server_a_value_has_its_default(settings: StaticSettingsHosts) -> None:
    settings.server.stop()
    host = settings.open(tag="x")
    assert awaited(host) == "REMORA_ERR_NETWORK"
    assert host.succeed("get", "int", "k", None, 3)["value"] == 3
    assert why_not(host, "int", "k") == "REMORA_ERR_NOT_FOUND"


@ON_NGINX_TOO
def test_t09_await_returns_the_cached_values_if_the_server_responds_with_an_error(
    settings: StaticSettingsHosts,
) -> None:
    host = cached(settings)
    settings.server.fail()
    answer = host.run("await", -1)
    assert (answer["status"], answer["http_status"], answer["json"]) == ("REMORA_ERR_HTTP", 500, {"k": 5})
    assert host.succeed("get", "int", "k", None, 3)["value"] == 5


@ON_NGINX_TOO
def test_t17_await_returns_the_expired_values_if_the_server_is_down(settings: StaticSettingsHosts) -> None:
    host = cached(settings, ttl=1)
    requests = asked(settings)
    assert host.succeed("await", -1)["json"] == {"k": 5}
    assert asked(settings) == requests + 1
    settings.server.stop()
    wait_until(lambda: host.succeed("info")["checked_age_ms"] >= 1, "the lifetime of 1 ms to pass")
    answer = host.run("await", -1)
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_NETWORK", {"k": 5})
    assert number(host, "k") == 5


@pytest.mark.parametrize("has_cache", [True, False])
def test_t11_t12_a_response_that_arrives_after_an_await_timed_out_changes_nothing(
    settings: SettingsHosts, has_cache: bool
) -> None:
    host = cached(settings) if has_cache else settings.open(tag="x", ttl=-1)
    fallback = {"k": 5} if has_cache else {}
    held = Held(settings)
    host.succeed("subscribe")
    answer = host.run("await", 500)
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_TIMEOUT", fallback)
    assert 250 <= answer["elapsed_ms"] < 3000
    held.wait_until_abandoned()
    held.let_go()
    settings.server.stop()
    host.succeed("refresh-async")
    host.succeed("completion", REFRESH_MS)
    assert host.event()["outcome"] == "failed"
    assert nothing_is_told(host)
    for later in (host, settings.open(tag="x")):
        assert later.values() == fallback
        assert later.succeed("get", "int", "k", None, 3)["value"] == (5 if has_cache else 3)


@pytest.mark.parametrize(("patient", "hasty"), [("await-async", "await-thread"), ("await-thread", "await-async")])
def test_t14_concurrent_awaits_of_the_same_settings_have_separate_time_limits(
    settings: SettingsHosts, patient: str, hasty: str
) -> None:
    def end(command: str) -> tuple[str, object]:
        answer = host.run(*(["join"] if command == "await-thread" else ["completion", REFRESH_MS]))
        return str(answer.get("completion", answer["status"])), answer["json"]

    host = cached(settings)
    held = Held(settings)
    host.succeed(patient, -1)
    held.wait_for_request()
    host.succeed(hasty, 300)
    assert end(hasty) == ("REMORA_ERR_TIMEOUT", {"k": 5})
    held.let_go()
    assert end(patient) == ("REMORA_OK", {"k": 9})
    assert held.requests == 1


def test_t15_an_await_with_time_limit_0_sends_no_request_and_a_limit_below_minus_1_is_refused(
    settings: SettingsHosts,
) -> None:
    host = cached(settings)
    requests = asked(settings)
    assert host.succeed("await", 0)["json"] == {"k": 5}
    host.succeed("await-async", 0)
    answer = host.succeed("completion", REFRESH_MS)
    assert (answer["completion"], answer["json"]) == ("REMORA_OK", {"k": 5})
    for command in ["await", "await-async"]:
        assert host.run(command, -2)["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert asked(settings) == requests


@ON_NGINX_TOO
def test_t18_a_key_that_is_missing_in_a_newer_response_has_its_default(settings: StaticSettingsHosts) -> None:
    host = cached(settings)
    settings.say(other=1)
    assert host.succeed("await", -1)["json"] == {"other": 1}
    assert host.succeed("get", "int", "k", None, 3)["value"] == 3


def test_t20_a_client_can_be_closed_while_calls_of_await_wait_for_a_response(settings: SettingsHosts) -> None:
    host = cached(settings)
    held = Held(settings)
    host.succeed("await-thread", -1)
    host.succeed("await-async", -1)
    held.wait_for_request()
    assert host.succeed("close")["elapsed_ms"] < 2000
    answer = host.run("join")
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_CLOSED", {"k": 5})
    # After a close no callback runs any more; what waits in a call is told.
    assert host.run("completion", 0)["status"] == "REMORA_ERR_TIMEOUT"
    held.wait_until_abandoned()


def test_the_next_process_obeys_the_max_age_that_the_server_sent_with_the_stored_response(
    settings: SettingsHosts,
) -> None:
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
