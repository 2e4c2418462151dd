# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of settings, each under its number: what a session sees of what it fetches, and what the server
# is asked.
"""Remote settings: sessions, values and requests."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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


def outcome(host: Driver) -> str:
    """What a refresh comes to."""
    return str(host.refresh()["outcome"])


def told_to_the_end(host: Driver, outcome: str) -> None:
    """A refresh of which all has been told: completions come after the events."""
    host.succeed("refresh-async")
    assert host.succeed("completion", REFRESH_MS)["outcome"] == outcome


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
def test_m01_without_cache_and_server_there_is_nothing(settings: StaticSettingsHosts) -> None:
    settings.server.stop()
    host = settings.open()
    assert (host.origin(), host.values()) == ("none", {})
    assert host.refresh()["status"] == "REMORA_ERR_NETWORK"
    assert (host.origin(), number(host)) == ("none", -1)


@ON_NGINX_TOO
def test_m03_what_was_fetched_is_cached_at_the_next_open_without_a_server(settings: StaticSettingsHosts) -> None:
    settings.say(a=1)
    settings.fetch()
    settings.server.stop()
    host = settings.open()
    assert (host.origin(), number(host)) == ("cached", 1)


@ON_NGINX_TOO
def test_m04_what_a_session_fetches_is_live_from_the_next_one_on(settings: StaticSettingsHosts) -> None:
    settings.say(a=1)
    settings.fetch()
    settings.say(a=2)
    host = settings.open(fetch=None, on_event=1)
    assert host.event()["cause"] == "opened"
    assert host.event()["outcome"] == "staged"
    assert outcome(host) == "unchanged"
    assert (host.origin(), number(host), host.succeed("info")["pending"]) == ("cached", 1, 1)
    host.end()
    assert number(settings.open()) == 2


def test_m06_an_answer_that_comes_after_stop_listening_is_for_the_next_session(settings: SettingsHosts) -> None:
    settings.say(a=1)
    settings.fetch()
    host = settings.open(activation="immediate")
    host.succeed("subscribe")
    with held_answer(settings, a=2):
        requests = len(settings.requests())
        host.succeed("refresh-async")
        wait_until(lambda: len(settings.requests()) > requests, "the request")
        host.succeed("stop-listening")
    assert host.succeed("completion", REFRESH_MS)["outcome"] == "staged"
    assert (host.origin(), number(host)) == ("cached", 1)
    assert nothing_is_told(host)
    host.end()
    assert number(settings.open()) == 2


@ON_NGINX_TOO
def test_m07_what_was_applied_before_stop_listening_stays(settings: StaticSettingsHosts) -> None:
    settings.say(a=2)
    host = settings.open(activation="immediate")
    assert outcome(host) == "updated"
    host.succeed("stop-listening")
    settings.say(a=3)
    assert outcome(host) == "staged"
    assert (host.origin(), number(host)) == ("fetched", 2)
    host.end()
    assert number(settings.open()) == 3


def test_m09_one_accepted_fetch_is_told_once(settings: SettingsHosts) -> None:
    settings.say(a=1)
    host = settings.open()
    host.succeed("subscribe")
    told_to_the_end(host, "staged")
    assert host.event()["outcome"] == "staged"
    assert nothing_is_told(host)


def test_m10_who_unsubscribed_is_told_nothing(settings: SettingsHosts) -> None:
    settings.say(a=1)
    host = settings.open()
    host.succeed("subscribe")
    host.succeed("unsubscribe")
    told_to_the_end(host, "staged")
    assert nothing_is_told(host)


@ON_NGINX_TOO
def test_m12_a_refresh_is_one_request_and_its_value_is_live(settings: StaticSettingsHosts) -> None:
    settings.say(a=1)
    host = settings.open(activation="immediate")
    assert outcome(host) == "updated"
    settings.say(a=2)
    assert outcome(host) == "updated"
    assert (len(settings.requests()), number(host), host.origin()) == (2, 2, "fetched")


@ON_NGINX_TOO
def test_m13_the_url_is_the_one_that_is_asked(settings: StaticSettingsHosts) -> None:
    settings.server.say(b'{"a":7}', "/other")
    host = settings.open(url=settings.server.url("/other"), activation="immediate")
    host.update()
    assert number(host) == 7
    assert [one.target for one in settings.server.requests] == ["/other"]


@ON_NGINX_TOO
def test_m15_what_is_there_goes_before_the_callers_default(settings: StaticSettingsHosts) -> None:
    settings.say(i=0, d=0.0, s="", b=False, f=1.5, u="http://h", o={"n": [0]})
    host = settings.open(activation="immediate")
    host.update()
    for kind, key, default, expected in [
        ("int", "i", 3, 0), ("double", "d", 3, 0.0), ("string", "s", "x", ""), ("bool", "b", 1, 0),
        ("double", "f", 3, 1.5), ("int", "absent", 3, 3), ("string", "absent", "x", "x"), ("bool", "absent", 1, 1),
        ("url", "u", "x", "http://h"), ("url", "absent", "x", "x"),
    ]:  # fmt: skip
        assert host.succeed("get", kind, key, None, default)["value"] == expected, key
    assert host.succeed("get", "int", "o", "/n/0", 3)["value"] == 0
    assert host.succeed("json", "o")["json"] == {"n": [0]}


@ON_NGINX_TOO
def test_m16_numbers_convert_when_nothing_is_lost(settings: StaticSettingsHosts) -> None:
    settings.server.say(b'{"i":3,"d":2.5,"z":3.0}', PATH)
    host = settings.open(activation="immediate")
    host.update()
    assert [host.succeed("get", "double", key, None, -1)["value"] for key in "idz"] == [3.0, 2.5, 3.0]
    assert [number(host, key) for key in "idz"] == [3, -1, 3]
    assert [why_not(host, "int", key) for key in "idz"] == ["REMORA_OK", "REMORA_ERR_WRONG_TYPE", "REMORA_OK"]


@ON_NGINX_TOO
def test_m18_only_true_and_false_are_booleans(settings: StaticSettingsHosts) -> None:
    settings.say(b=True, n=1)
    host = settings.open(activation="immediate")
    host.update()
    assert [host.succeed("get", "bool", key, None, 0)["value"] for key in "bn"] == [1, 0]
    assert [why_not(host, "bool", key) for key in "bn"] == ["REMORA_OK", "REMORA_ERR_WRONG_TYPE"]


@ON_NGINX_TOO
def test_m19_a_url_is_an_absolute_uri_of_any_scheme(settings: StaticSettingsHosts) -> None:
    settings.say(u="https://h/p?q#f", x="picsart://editor", v="not a url", w="/p", y=1)
    host = settings.open(activation="immediate")
    host.update()
    assert [host.succeed("get", "url", key, None, "none")["value"] for key in "uxvwyz"] == [
        "https://h/p?q#f", "picsart://editor", *["none"] * 4
    ]  # fmt: skip
    assert [why_not(host, "url", key) for key in "uxvwyz"] == [
        *["REMORA_OK"] * 2, *["REMORA_ERR_WRONG_TYPE"] * 3, "REMORA_ERR_NOT_FOUND"
    ]  # fmt: skip


@ON_NGINX_TOO
def test_m21_a_null_reads_as_if_it_were_not_there(settings: StaticSettingsHosts) -> None:
    settings.say(k=None)
    host = settings.open(activation="immediate")
    host.update()
    assert host.succeed("get", "string", "k", None, "default")["value"] == "default"
    assert why_not(host, "string", "k") == "REMORA_ERR_NOT_FOUND"


@ON_NGINX_TOO
def test_m22_integers_are_exact_and_what_no_double_holds_is_refused(settings: StaticSettingsHosts) -> None:
    exact = {"n": 9007199254740993, "most": 2**63 - 1, "least": -(2**63)}
    settings.say(**exact)
    host = settings.open(activation="immediate")
    host.update()
    for number_that_is_none in [b"1e400", b"-1e400", b"9223372036854775808", b"NaN"]:
        settings.server.say(b'{"n":%b}' % number_that_is_none, PATH)
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_PARSE", "refused"), number_that_is_none
    for reader in (host, settings.open()):
        assert {key: number(reader, key) for key in exact} == exact
        assert reader.values() == exact
        assert why_not(reader, "double", "n") == "REMORA_ERR_WRONG_TYPE"


@ON_NGINX_TOO
def test_e01_every_request_carries_the_parameters(settings: StaticSettingsHosts) -> None:
    settings.say(a=1)
    host = settings.open("user=x/u&1", "role/ä%", fetch=None, on_event=1)
    assert host.event()["cause"] == "opened"
    assert host.event()["outcome"] == "staged"
    settings.try_open(host, "user=x/u&1", "role/ä%", tag="t", fetch="no")
    assert host.succeed("await", -1)["json"] == {"a": 1}
    query = "user%3Dx=u%261&role=%C3%A4%25"
    assert [one.target for one in settings.requests()] == [f"{PATH}?{query}", f"{PATH}?{query}&tag=t"]


@ON_NGINX_TOO
@pytest.mark.parametrize("tag", [None, "t"])
def test_e02_what_was_cached_for_one_user_is_not_anothers(settings: StaticSettingsHosts, tag: str | None) -> None:
    settings.say(a=1)
    settings.fetch("user/u1", tag=tag)
    settings.server.stop()
    for stranger in [("user/u2",), (), ("user/u1", "role/admin"), ("other/u1",)]:
        host = settings.open(*stranger, tag=tag)
        host.refresh()
        assert (host.origin(), host.values()) == ("none", {}), stranger
    host = settings.open("user/u1", tag=tag)
    assert (host.origin(), number(host)) == ("cached", 1)
    stored = b"".join(path.read_bytes() for path in settings.storage.rglob("*") if path.is_file())
    assert b"u1" not in stored and b"user" not in stored


@ON_NGINX_TOO
@pytest.mark.parametrize("tag", ["a/../b", "..", "/etc/passwd", "ключ ☃", "🐟" * 64, "x" * 256, "?&=#%+"])
def test_t21_any_tag_is_a_safe_file_name_and_an_encoded_query_item(settings: StaticSettingsHosts, tag: str) -> None:
    settings.say(a=1)
    settings.fetch(tag=tag)
    (request,) = settings.requests()
    assert (request.path, request.query) == (PATH, {"tag": tag})
    assert request.target.isascii() and not set(request.target.removeprefix(f"{PATH}?tag=")) & set("/?&=#+ ")
    host = settings.open(tag=tag)
    assert (host.origin(), number(host)) == ("cached", 1)
    assert number(settings.open(tag="another")) == -1
    names = [path.relative_to(settings.storage).as_posix() for path in settings.storage.rglob("*")]
    assert names and all(re.fullmatch(r"[a-z0-9][a-z0-9./-]{0,63}", name) and ".." not in name for name in names), names
    assert {path.name for path in settings.storage.parent.iterdir()} <= {"storage", "tag", "nginx"}


@pytest.mark.parametrize("tag", ["x" * 257, "x" * 300, "é" * 150, "🐟" * 65])
def test_t21_a_tag_of_more_than_256_bytes_is_refused(settings: SettingsHosts, tag: str) -> None:
    answer = settings.try_open(settings.setup(), tag=tag)
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "tag" in answer["message"] and tag not in answer["message"]
    assert settings.requests() == []


def test_a_tag_has_its_own_dictionary_and_is_live_at_once(settings: SettingsHosts) -> None:
    settings.say(a=1)
    settings.fetch()
    settings.say(a=2)
    host = settings.open(tag="t")
    assert number(host) == -1
    host.update()
    assert number(host) == 2
    assert number(settings.open()) == 1


def test_settings_in_memory_only_leave_nothing_behind(settings: SettingsHosts) -> None:
    settings.say(a=1)
    host = settings.open(tag="t", memory=1)
    host.update()
    assert number(host) == 1
    host.end()
    assert number(settings.open(tag="t")) == -1


def test_content_that_returns_is_newer_again(settings: SettingsHosts) -> None:
    host = settings.open(tag="t")
    versions = []
    for value in [1, 2, 1]:
        settings.say(a=value)
        host.update()
        versions.append(host.version())
    assert versions == sorted(set(versions))
