# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of tags that are prefetched and waited for, each under its number.
"""Remote settings: lifetimes and waits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from EndToEnd.driver import Driver
from EndToEnd.host import NOTHING
from EndToEnd.hosts import ON_NGINX_TOO
from EndToEnd.settings_hosts import PATH, SettingsHosts, StaticSettingsHosts
from Servers.loopback import Request, Response
from Servers.waiting import wait_until


def cached(settings: StaticSettingsHosts, **options: Any) -> Driver:
    """A host whose tag has k=5 in its cache, and asks whenever it waits."""
    return settings.say(k=5).fetch(tag="x").open(**{"tag": "x", "ttl": 0, **options})


def awaited(host: Driver, timeout: float | None = None) -> str:
    """The status of an await."""
    return str(host.run("wait", timeout)["status"])


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
    host = settings.say(k=1).open(tag="x")
    host.succeed("begin_wait")
    assert host.completion()["status"] == "REMORA_OK"
    settings.say(k=2)
    assert host.succeed("wait")["json"] == {"k": 1}
    assert (host.get_int("k"), asked(settings)) == (1, 1)


def test_t03_concurrent_asynchronous_awaits_of_the_same_settings_share_one_request(settings: SettingsHosts) -> None:
    host = settings.open(tag="x")
    held = Held(settings)
    host.succeed("begin_wait")
    held.wait_for_request()
    host.succeed("begin_wait")
    held.let_go()
    for _ in range(2):
        answer = host.completion()
        assert (answer["status"], answer["json"]) == ("REMORA_OK", {"k": 9})
    assert held.requests == 1


def test_t05_an_asynchronous_await_that_fails_reports_the_error_and_passes_the_cached_values(
    settings: SettingsHosts,
) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    settings.server.answer(Response(status=500), PATH)
    host.succeed("begin_wait")
    assert host.event()["outcome"] == "failed"
    answer = host.completion()
    assert (answer["status"], answer["origin"], answer["json"]) == ("REMORA_ERR_HTTP", "cached", {"k": 5})
    assert (host.get_int("k"), host.is_silent()) == (5, True)


def test_t06_a_cancelled_subscription_receives_no_event_about_an_asynchronous_await(settings: SettingsHosts) -> None:
    host = cached(settings)
    host.succeed("subscribe")
    host.succeed("unsubscribe")
    settings.say(k=6)
    host.succeed("begin_wait")
    # Completions come after the events of the same refresh.
    assert host.completion()["json"] == {"k": 6}
    assert host.is_silent()


@ON_NGINX_TOO
def test_t08_if_await_finds_no_cache_and_no_server_a_value_has_its_default(settings: StaticSettingsHosts) -> None:
    settings.server.stop()
    host = settings.open(tag="x")
    assert awaited(host) == "REMORA_ERR_NETWORK"
    assert host.get_int("k", None, 3) == 3
    assert host.run("require", "int", "k")["status"] == "REMORA_ERR_NOT_FOUND"


@ON_NGINX_TOO
def test_t09_await_returns_the_cached_values_if_the_server_responds_with_an_error(
    settings: StaticSettingsHosts,
) -> None:
    host = cached(settings)
    settings.server.fail()
    answer = host.run("wait")
    assert (answer["status"], answer["http_status"], answer["json"]) == ("REMORA_ERR_HTTP", 500, {"k": 5})
    assert host.get_int("k", None, 3) == 5


@ON_NGINX_TOO
def test_t17_await_returns_the_expired_values_if_the_server_is_down(settings: StaticSettingsHosts) -> None:
    host = cached(settings, ttl=0.001)
    requests = asked(settings)
    assert host.succeed("wait")["json"] == {"k": 5}
    assert asked(settings) == requests + 1
    settings.server.stop()
    wait_until(lambda: host.succeed("info")["checked_age"] >= 0.001, "the lifetime of 1 ms to pass")
    answer = host.run("wait")
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_NETWORK", {"k": 5})
    assert host.get_int("k") == 5


@pytest.mark.parametrize("has_cache", [True, False])
def test_t11_t12_a_response_that_arrives_after_an_await_timed_out_changes_nothing(
    settings: SettingsHosts, has_cache: bool
) -> None:
    host = cached(settings) if has_cache else settings.open(tag="x", ttl=0)
    fallback = {"k": 5} if has_cache else {}
    held = Held(settings)
    host.succeed("subscribe")
    answer = host.run("wait", 0.5)
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_TIMEOUT", fallback)
    assert 250 <= answer["elapsed_ms"] < 3000
    held.wait_until_abandoned()
    held.let_go()
    settings.server.stop()
    host.succeed("begin_refresh")
    host.completion()
    assert host.event()["outcome"] == "failed"
    assert host.is_silent()
    for later in (host, settings.open(tag="x")):
        assert later.values() == fallback
        assert later.get_int("k", None, 3) == (5 if has_cache else 3)


@pytest.mark.parametrize(
    ("patient", "hasty"),
    [(["begin_wait"], ["on_thread", "wait"]), (["on_thread", "wait"], ["begin_wait"])],
    ids=["asynchronous first", "on a thread first"],
)
def test_t14_concurrent_awaits_of_the_same_settings_have_separate_time_limits(
    settings: SettingsHosts, patient: list[str], hasty: list[str]
) -> None:
    host = cached(settings)
    held = Held(settings)
    host.succeed(*patient)
    held.wait_for_request()
    host.succeed(*hasty, 0.3)
    answer = host.completion()
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_TIMEOUT", {"k": 5})
    held.let_go()
    answer = host.completion()
    assert (answer["status"], answer["json"]) == ("REMORA_OK", {"k": 9})
    assert held.requests == 1


def test_t15_an_await_with_time_limit_0_sends_no_request_and_a_limit_below_minus_1_is_refused(
    settings: SettingsHosts,
) -> None:
    host = cached(settings)
    requests = asked(settings)
    host.succeed("begin_wait", 0)
    for answer in (host.run("wait", 0), host.completion()):
        assert (answer["status"], answer["json"]) == ("REMORA_ERR_TIMEOUT", {"k": 5})
    for command in ["wait", "begin_wait"]:
        assert host.run(command, -2)["status"] == "ValueError"
    assert asked(settings) == requests


@ON_NGINX_TOO
def test_t18_a_key_that_is_missing_in_a_newer_response_has_its_default(settings: StaticSettingsHosts) -> None:
    host = cached(settings)
    settings.say(other=1)
    assert host.succeed("wait")["json"] == {"other": 1}
    assert host.get_int("k", None, 3) == 3


def test_t20_a_client_can_be_closed_while_calls_of_await_wait_for_a_response(settings: SettingsHosts) -> None:
    host = cached(settings)
    held = Held(settings)
    host.succeed("on_thread", "wait")
    host.succeed("begin_wait")
    held.wait_for_request()
    assert host.succeed("close")["elapsed_ms"] < 2000
    answer = host.completion()
    assert (answer["status"], answer["json"]) == ("REMORA_ERR_CLOSED", {"k": 5})
    # After a close no callback runs any more; what waits in a call is told.
    assert host.run("take", "completions", 0)["status"] == NOTHING
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
    assert (asked(settings), host.get_int("k")) == (3, 2)
    assert awaited(settings.open(tag="x", after=host)) == "REMORA_OK"
    assert awaited(settings.open(tag="x", ttl=0)) == "REMORA_OK"
    assert asked(settings) == 4
