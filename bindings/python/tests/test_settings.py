# SPDX-License-Identifier: Apache-2.0
"""Settings: dictionaries of keys and values."""

from __future__ import annotations

import asyncio
import queue
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS
from settings_server import PATH, SettingsServer


def test_settings_that_are_fetched_first_are_read_at_once_and_later_ones_when_the_next_client_opens_them(
    settings: SettingsServer, tmp_path: Path
) -> None:
    settings.serve(dark=True)
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    with remora.Client(tmp_path) as client:
        source = client.settings(settings.url(), on_event=events.put)
        assert events.get(timeout=SECONDS).cause is remora.Cause.OPENED
        assert events.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED
        assert source.get_bool("dark", default=False) is True
        settings.serve(dark=False)
        assert source.refresh(SECONDS) is remora.Outcome.STAGED
        assert source.get_bool("dark", default=False) is True and source.info().has_staged
    with remora.Client(tmp_path) as client:
        source = client.settings(settings.url(), fetch_at_open=False)
        assert source.get_bool("dark", default=True) is False
        assert source.info().origin is remora.Origin.CACHED
    assert len(settings.requests) == 2


def test_fetched_settings_are_read_at_once_if_activation_is_immediate(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(limit=3, name="n", ratio=0.5, more={"a": [1]})
    source = host.settings(settings.url(), activation="immediate", fetch_at_open=False)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert (source.get_int("limit"), source.get_str("name"), source.get_float("ratio")) == (3, "n", 0.5)
    assert source["more"] == {"a": [1]} and sorted(source) == ["limit", "more", "name", "ratio"]
    assert source.get_int("name", default=7) == 7 and source.get_str("absent", default="d") == "d"
    assert source.refresh(SECONDS) is remora.Outcome.UNCHANGED
    settings.serve(limit=4)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert dict(source) == {"limit": 4}


def test_a_key_of_settings_with_the_value_null_is_missing_in_reads_counts_lists_and_events(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(a=None, b=1)
    source = host.settings(settings.url(), activation="immediate", fetch_at_open=False)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert "a" not in source and len(source) == 1 and list(source) == ["b"] and dict(source) == {"b": 1}
    with pytest.raises(KeyError):
        source["a"]
    events: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    with source.subscribe(lambda event: events.put([change.key for change in event.changes])):
        settings.serve(a=None, b=None, c=2)
        assert source.refresh(SECONDS) is remora.Outcome.UPDATED
        assert events.get(timeout=SECONDS) == ["b", "c"]


def test_a_value_that_is_read_as_a_url_can_have_any_scheme_but_must_be_a_url(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(
        u="https://h/p",
        long="http://h/" + "p" * 300,
        v="not a url",
        e="picsart://editor",
        f="http://",
        n=1,
        more={"u": "http://a"},
    )
    source = host.settings(settings.url(), activation="immediate", fetch_at_open=False)
    source.refresh(SECONDS)
    snapshot = source.snapshot()
    for reader in (source, snapshot):
        assert reader.get_url("u") == "https://h/p" and reader.get_url("more", "/u") == "http://a"
        assert len(reader.get_url("long") or "") == 309 and reader.get_url("e") == "picsart://editor"
        assert [reader.get_url(key, default="d") for key in ("v", "f", "n", "absent", "a\0")] == ["d"] * 5
    assert source.get_url("v") is None
    with pytest.raises(remora.WrongTypeError):
        snapshot.get_url("v")
    with pytest.raises(remora.NotFoundError):
        snapshot.get_url("absent")


def test_parameters_and_the_tag_are_sent_as_query_items(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(a=1)
    options: Any = {"tag": "a/b", "params": {"user": "u 1&x", "empty": ""}, "fetch_at_open": False}
    one = host.settings(settings.url() + "?v=2", **options)
    assert one.refresh(SECONDS) is remora.Outcome.UPDATED, "a tag is live at once"
    host.settings(settings.url(), tag_item="context", **options).refresh(SECONDS)
    query = "user=u%201%26x&empty="
    assert [one.target for one in settings.requests] == [
        f"{PATH}?v=2&{query}&tag=a%2Fb",
        f"{PATH}?{query}&context=a%2Fb",
    ]


def test_settings_that_differ_in_their_parameters_have_separate_caches(
    settings: SettingsServer, tmp_path: Path
) -> None:
    settings.serve(a=1)
    with remora.Client(tmp_path) as client:
        client.settings(settings.url(), params={"user": "1"}, fetch_at_open=False).refresh(SECONDS)
    with remora.Client(tmp_path) as client:
        one, two = (client.settings(settings.url(), params={"user": user}, fetch_at_open=False) for user in "12")
        assert (one.get_int("a"), two.get_int("a")) == (1, None)


def test_packaged_settings_are_read_until_settings_are_fetched_from_the_server(
    host: remora.Client, settings: SettingsServer, tmp_path: Path
) -> None:
    file = tmp_path / "packaged.json"
    file.write_text('{"settings": {"a": 1}}', encoding="utf-8")
    data = file.read_bytes()
    forms: list[Any] = [{"packaged_file": file}, {"packaged_data": data.decode()}, {"packaged_data": data}]
    settings.say(b'{"settings": {"a": 2}}', PATH)
    for tag, form in zip("abc", forms):
        source = host.settings(settings.url(), root_key="settings", tag=tag, fetch_at_open=False, **form)
        assert (source.get_int("a"), source.info().origin) == (1, remora.Origin.PACKAGED)
        source.refresh(SECONDS)
        assert (source.get_int("a"), source.info().origin) == (2, remora.Origin.FETCHED)


def test_settings_with_the_option_memory_only_store_no_file(settings: SettingsServer, tmp_path: Path) -> None:
    settings.serve(a=1)
    for _ in range(2):
        with remora.Client(tmp_path) as client:
            source = client.settings(settings.url(), tag="t", memory_only=True, fetch_at_open=False)
            assert source.get_int("a") is None
            source.refresh(SECONDS)
            assert source.get_int("a") == 1


def test_overrides_of_settings_take_precedence_and_can_be_stored(settings: SettingsServer, tmp_path: Path) -> None:
    for expected in (None, "mine"):
        with remora.Client(tmp_path) as client:
            source = client.settings(settings.url(), persist_overrides=True, fetch_at_open=False)
            assert source.get_str("a") == expected
            source.overrides["a"] = "mine"
            assert source["a"] == "mine"


def test_settings_can_be_opened_without_the_option_url(host: remora.Client) -> None:
    assert host.settings(fetch_at_open=False).info().origin is remora.Origin.NONE


def test_a_settings_document_that_is_not_a_dictionary_is_refused(host: remora.Client, settings: SettingsServer) -> None:
    settings.say(b"[1]", PATH)
    with pytest.raises(remora.FormatError):
        host.settings(settings.url(), fetch_at_open=False).refresh(SECONDS)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"url": 5}, TypeError, "url"),
        ({"url": "http://a\0"}, ValueError, "url"),
        ({"url": "ftp://example.org/"}, remora.InvalidArgumentError, "url"),
        ({"params": "a=1"}, TypeError, "params"),
        ({"params": [("a", "1")]}, TypeError, "params"),
        ({"params": {"a": 1}}, TypeError, "params"),
        ({"params": {1: "a"}}, TypeError, "params"),
        ({"params": {"a": None}}, TypeError, "params"),
        ({"params": {"a": "\0"}}, ValueError, "params"),
        ({"params": {"": "a"}}, remora.InvalidArgumentError, "^params has"),
        ({"root_key": 1}, TypeError, "root_key"),
        ({"root_key": ""}, remora.InvalidArgumentError, "root_key"),
        ({"tag": b"t"}, TypeError, "tag"),
        ({"tag_item": 1}, TypeError, "tag_item"),
        ({"activation": 1.5}, TypeError, "activation"),
        ({"activation": "later"}, ValueError, "activation"),
        ({"tag": "t", "activation": "manual"}, remora.InvalidArgumentError, "activation"),
        ({"memory_only": True, "persist_overrides": True}, remora.InvalidArgumentError, "persist_overrides"),
        ({"packaged_file": 1}, TypeError, "packaged_file"),
        ({"packaged_data": {}}, TypeError, "packaged_data"),
        ({"packaged_data": "[,]"}, remora.ParseError, "packaged"),
        ({"packaged_data": "[]"}, remora.FormatError, "packaged"),
        ({"refresh_interval": "1"}, TypeError, "refresh_interval"),
        ({"refresh_interval": 0}, ValueError, "refresh_interval"),
        ({"ttl": "1"}, TypeError, "ttl"),
        ({"ttl": -1}, ValueError, "ttl"),
        ({"on_event": 5}, TypeError, "callback"),
        ({"trust": "off"}, TypeError, "trust"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_option_of_settings_names_the_option(
    host: remora.Client, options: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        host.settings(**{"fetch_at_open": False, **options})


def test_opening_settings_of_a_closed_client_raises_closed_error(host: remora.Client) -> None:
    host.close()
    with pytest.raises(remora.ClosedError):
        host.settings()


def test_a_sync_requests_settings_once_even_if_they_are_opened_twice(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(a=1)
    host.settings(settings.url(), tag="t", fetch_at_open=False)
    kept = host.settings(settings.url(), tag="t", fetch_at_open=False)
    report = host.sync(SECONDS)
    assert (report.total, report.updated, report.failed) == (1, 1, 0), "two handles of one source"
    assert kept.get_int("a") == 1


def test_settings_are_opened_refreshed_and_read_in_asyncio(settings: SettingsServer) -> None:
    settings.serve(a=1)

    async def scene() -> None:
        seen: asyncio.Queue[remora.Event] = asyncio.Queue()
        async with remora.aio.Client.in_memory() as client:
            source = client.settings(settings.url(), tag="t", fetch_at_open=False, on_event=seen.put_nowait)
            assert (await asyncio.wait_for(seen.get(), SECONDS)).cause is remora.Cause.OPENED
            assert await source.refresh(SECONDS) is remora.Outcome.UPDATED
            assert source.get_int("a") == 1
            with pytest.raises(TypeError, match="params"):
                client.settings(params=5)  # type: ignore[arg-type]

    asyncio.run(scene(), debug=True)
