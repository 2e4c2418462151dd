# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of parameters and tags, each under its number: what the server is asked, and whose values they
# are.
"""Remote settings: parameters and tags."""

from __future__ import annotations

import re

import pytest

from EndToEnd.hosts import ON_NGINX_TOO
from EndToEnd.settings_hosts import PATH, SettingsHosts, StaticSettingsHosts


@ON_NGINX_TOO
def test_e01_every_settings_request_contains_the_parameters(settings: StaticSettingsHosts) -> None:
    settings.say(a=1)
    params = {"user=x": "u&1", "role": "ä%"}
    host = settings.open(params=params, fetch_at_open=None, on_event=True)
    assert host.event()["cause"] == "opened"
    assert host.event()["outcome"] == "updated"
    settings.try_open(host, params=params, tag="t", fetch_at_open=False)
    assert host.succeed("wait")["json"] == {"a": 1}
    query = "user%3Dx=u%261&role=%C3%A4%25"
    assert [one.target for one in settings.requests()] == [f"{PATH}?{query}", f"{PATH}?{query}&tag=t"]


@ON_NGINX_TOO
@pytest.mark.parametrize("tag", [None, "t"])
def test_e02_settings_cached_for_one_user_are_not_used_for_another(
    settings: StaticSettingsHosts, tag: str | None
) -> None:
    settings.say(a=1).fetch(params={"user": "u1"}, tag=tag)
    settings.server.stop()
    for stranger in [{"user": "u2"}, {}, {"user": "u1", "role": "admin"}, {"other": "u1"}]:
        host = settings.open(params=stranger, tag=tag)
        host.refresh()
        assert (host.origin(), host.values()) == ("none", {}), stranger
    host = settings.open(params={"user": "u1"}, tag=tag)
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    stored = b"".join(path.read_bytes() for path in settings.storage.rglob("*") if path.is_file())
    assert b"u1" not in stored and b"user" not in stored


@ON_NGINX_TOO
@pytest.mark.parametrize("tag", ["a/../b", "..", "/etc/passwd", "ключ ☃", "🐟" * 64, "x" * 256, "?&=#%+"])
def test_t21_settings_with_any_tag_have_a_safe_file_name_and_an_encoded_query_item(
    settings: StaticSettingsHosts, tag: str
) -> None:
    settings.say(a=1).fetch(tag=tag)
    (request,) = settings.requests()
    assert (request.path, request.query) == (PATH, {"tag": tag})
    assert request.target.isascii() and not set(request.target.removeprefix(f"{PATH}?tag=")) & set("/?&=#+ ")
    host = settings.open(tag=tag)
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    assert settings.open(tag="another").get_int("a") == -1
    names = [path.relative_to(settings.storage).as_posix() for path in settings.storage.rglob("*")]
    assert names and all(re.fullmatch(r"[a-z0-9][a-z0-9./-]{0,63}", name) and ".." not in name for name in names), names
    assert {path.name for path in settings.storage.parent.iterdir()} <= {"storage", "nginx"}


@pytest.mark.parametrize("tag", ["x" * 257, "x" * 300, "é" * 150, "🐟" * 65])
def test_t21_a_tag_of_more_than_256_bytes_is_refused(settings: SettingsHosts, tag: str) -> None:
    answer = settings.try_open(settings.hosts.setup(), tag=tag)
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "tag" in answer["message"] and tag not in answer["message"]
    assert settings.requests() == []


def test_settings_with_a_tag_have_a_separate_cache_and_are_read_as_soon_as_they_are_fetched(
    settings: SettingsHosts,
) -> None:
    settings.say(a=1).fetch()
    host = settings.say(a=2).open(tag="t")
    assert host.get_int("a") == -1
    host.update()
    assert host.get_int("a") == 2
    assert settings.open().get_int("a") == 1
