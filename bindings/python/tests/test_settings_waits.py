# SPDX-License-Identifier: Apache-2.0
"""Settings that are waited for: tags, lifetimes and limits."""

from __future__ import annotations

import logging
import math
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import remora
from conftest import SECONDS
from Servers.loopback import Response
from Servers.waiting import wait_until
from settings_server import PATH, SettingsServer

MOMENT = 0.05


def opened(client: remora.Client, server: SettingsServer, **options: Any) -> remora.Settings:
    """Settings that ask for nothing by themselves."""
    return client.settings(server.url(), **{"fetch_at_open": False, **options})


def test_settings_with_a_tag_are_requested_with_the_options_of_the_main_settings(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.say(b'{"root": {"brush": 5}}', PATH)
    params = {"user": "u1"}
    source = opened(host, settings, root_key="root", tag_item="context", params=params, activation="manual")
    params["user"] = "u2"
    assert source.get("brush", tag="editor", timeout=SECONDS, default=3) == 5
    assert source.get("brush") is None and source.tag("editor").get_int("brush") == 5
    assert [one.target for one in settings.requests] == [f"{PATH}?user=u1&context=editor"]


def test_a_tag_keeps_its_data_until_its_settings_are_closed_and_is_closed_by_the_program(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(k=5)
    source = opened(host, settings, packaged_data='{"a": 1}')
    tag = source.tag("t")
    assert isinstance(tag, remora.Settings) and tag.info().name.endswith("#t")
    assert tag.get("a") is None and source.get("a") == 1, "packaged values are of the main dictionary"
    tag.close()
    assert source.get("k", tag="t", timeout=SECONDS) == 5
    with source.tag("t") as again:
        assert again.get_int("k") == 5
    assert len(host.sources()) == 2, "the settings keep the tag"
    kept = source.tag("t")
    with pytest.raises(remora.InvalidArgumentError, match="settings has no tags"):
        kept.tag("u")
    source.close()
    with pytest.raises(remora.ClosedError):
        source.tag("t")
    assert kept.refresh(SECONDS) is remora.Outcome.UNCHANGED and kept.get_int("k") == 5
    kept.close()
    assert host.sources() == [] and len(settings.requests) == 2


def test_get_sends_no_request_while_the_option_ttl_says_that_the_settings_are_fresh(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(k=1)
    for ttl, requests in ((None, 1), (1000, 2), (math.inf, 3), (0, 6)):
        source = opened(host, settings, params={"ttl": str(ttl)}, ttl=ttl)
        for _ in range(3):
            assert source.get("k", tag="t", timeout=SECONDS) == 1
        assert len(settings.requests) == requests, ttl


def test_settings_with_a_tag_can_have_a_ttl_of_their_own(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(k=1)
    source = opened(host, settings, ttl=0)
    source.tag("t", ttl=1000).close()
    for _ in range(3):
        assert source.get("k", tag="t", timeout=SECONDS) == 1
    assert len(settings.requests) == 1
    for _ in range(3):
        source.get("k", tag="u", timeout=SECONDS)
    assert len(settings.requests) == 4, "the others have that of the settings"
    with pytest.raises(ValueError, match="ttl"):
        source.tag("v", ttl=-1)


def test_if_settings_with_a_tag_are_already_open_a_different_ttl_is_ignored_with_a_warning(
    settings: SettingsServer, caplog: pytest.LogCaptureFixture
) -> None:
    settings.serve(k=1)
    logger = logging.getLogger("remora-tests")
    with remora.Client.in_memory(application_name="tests", logger=logger) as client:
        source = opened(client, settings)
        for ttl in (1000, None, 1000, 0):
            source.tag("t", ttl=ttl).close()
        wait_until(lambda: caplog.messages, "the warning", SECONDS)
        for _ in range(2):
            source.get("k", tag="t", timeout=SECONDS)
    assert len(settings.requests) == 1
    assert [
        message for message in caplog.messages if message.endswith("ignored these options: ttl_ms")
    ] == caplog.messages
    assert len(caplog.messages) == 1


def test_get_sends_a_request_each_time_if_the_response_had_max_age_0(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.answer(Response(headers={"Cache-Control": "max-age=0"}, body=b'{"k": 1}'), PATH)
    source = opened(host, settings, activation="immediate")
    for _ in range(2):
        assert source.get("k", timeout=SECONDS) == 1
    assert len(settings.requests) == 2


def test_get_returns_the_default_for_a_value_that_is_missing_null_or_of_another_type(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(zero=0, no=False, empty="", null=None)
    source = opened(host, settings, ttl=0, activation="immediate")
    keys = ("zero", "no", "empty", "null", "absent", "a\0b")
    assert [source.get(key, 3, timeout=SECONDS) for key in keys] == [0, 3, 3, 3, 3, 3]
    assert [source.get(key, default=3) for key in keys] == [0, 3, 3, 3, 3, 3]
    assert [source.get(key) for key in keys] == [0, False, "", None, None, None]
    assert source.get("null") is None and source.get("absent", timeout=SECONDS) is None
    settings.serve(other=1)
    assert source.get("zero", timeout=SECONDS, default=3) == 3, "a fresh answer without it has no value"


def test_get_with_a_timeout_returns_fetched_values_only_after_they_are_activated(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(k=9)
    source = opened(host, settings, packaged_data='{"k": 3}')
    assert source.get("k", timeout=SECONDS, default=0) == 3 and source.info().has_staged
    source.activate()
    assert source.get("k", timeout=SECONDS, default=3) == 9


def test_get_returns_the_last_value_or_the_default_if_the_server_fails(
    settings: SettingsServer, tmp_path: Path
) -> None:
    settings.serve(k=5)
    with remora.Client(tmp_path) as client:
        assert opened(client, settings).get("k", tag="x", timeout=SECONDS) == 5
    settings.answer(Response(status=500), PATH)
    with remora.Client(tmp_path) as client:
        source = opened(client, settings, ttl=0)
        assert source.get("k", tag="x", default=3) == 5
        assert isinstance(source.tag("x").wait().error, remora.HttpError)
        assert source.get("k", tag="y", default=3) == 3 and source.get("k", tag="y") is None


def test_get_cancels_its_request_at_its_timeout_and_a_late_response_changes_nothing(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(k=5)
    source = opened(host, settings, ttl=0)
    assert source.get("k", tag="x", timeout=SECONDS) == 5
    held = settings.hold(k=9)
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    with source.tag("x").subscribe(events.put):
        assert source.get("k", tag="x", timeout=MOMENT, default=3) == 5
        assert source.get("k", tag="new", timeout=MOMENT, default=3) == 3
        held.release()
        assert source.tag("x").get_int("k") == 5 and source.tag("new").get_int("k") is None
    assert all(event.error and not event.changes for event in [events.get() for _ in range(events.qsize())])


def test_a_request_is_cancelled_when_the_only_call_of_get_that_waits_for_it_times_out(
    host: remora.Client, settings: SettingsServer
) -> None:
    held = settings.hold(k=9)
    assert opened(host, settings).get("k", tag="x", timeout=MOMENT, default=3) == 3
    assert held.broken.wait(SECONDS)


def test_get_with_timeout_0_sends_no_request(host: remora.Client, settings: SettingsServer) -> None:
    source = opened(host, settings)
    assert source.get("k", tag="x", timeout=0, default=3) == 3 and source.get("k", timeout=0) is None
    assert settings.requests == []


def test_get_shares_the_request_of_a_running_prefetch(host: remora.Client, settings: SettingsServer) -> None:
    held = settings.hold(k=9)
    source = opened(host, settings)
    source.prefetch(tag="x")
    wait_until(lambda: settings.requests, "the request")
    with ThreadPoolExecutor(2) as threads:
        waits = [threads.submit(source.get, "k", tag="x", timeout=SECONDS) for _ in range(2)]
        assert source.get("k", tag="x", timeout=MOMENT, default=3) == 3, "each waits as long as it said"
        held.release()
        assert [one.result(SECONDS) for one in waits] == [9, 9]
    source.prefetch("x")
    assert len(settings.requests) == 1, "it is fresh"


def test_prefetch_without_a_tag_requests_the_main_settings(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(k=1)
    source = opened(host, settings, activation="immediate")
    source.prefetch()
    wait_until(lambda: source.get_int("k") == 1, "the value")
    assert [one.target for one in settings.requests] == [PATH]


def test_wait_async_passes_the_fetched_snapshot_to_its_callback(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(k=1)
    seen: queue.SimpleQueue[remora.Snapshot] = queue.SimpleQueue()
    tag = opened(host, settings, ttl=0).tag("x")
    request = tag.wait_async(seen.put)
    fresh = seen.get(timeout=SECONDS)
    assert fresh.get_int("k") == 1 and fresh.error is None
    request.cancel()
    held = settings.hold(k=9)
    for timeout, expected in ((MOMENT, remora.TimeoutError), (0, remora.TimeoutError), (None, remora.CancelledError)):
        request = tag.wait_async(seen.put, timeout)
        if timeout is None:
            request.cancel()
        before = seen.get(timeout=SECONDS)
        assert before.get_int("k") == 1 and type(before.error) is expected
    tag.wait_async(seen.put, only_if_empty=True)
    assert seen.get(timeout=SECONDS).error is None, "there is something"
    held.release()


def test_calls_that_wait_return_the_previous_value_when_the_client_is_closed(
    host: remora.Client, settings: SettingsServer
) -> None:
    settings.serve(k=5)
    source = opened(host, settings, ttl=0)
    assert source.get("k", tag="x", timeout=SECONDS) == 5
    settings.hold(k=9)
    seen: list[remora.Snapshot] = []
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(source.get, "k", 3, tag="x")
        wait_until(lambda: len(settings.requests) == 2, "the request")
        tag = source.tag("x")
        tag.wait_async(seen.append)
        host.close()
        assert waiting.result(SECONDS) == 5
    assert seen == [], "who is seen by a callback is not called after the end"
    calls: list[Callable[[], object]] = [
        lambda: source.get("k"),
        lambda: source.get("k", timeout=1),
        lambda: source.get("k", tag="x"),
        lambda: source.prefetch("x"),
        lambda: source.tag("x"),
    ]
    for call in calls:
        with pytest.raises(remora.ClosedError):
            call()


def test_threads_that_open_settings_with_the_same_tag_at_the_same_time_share_one_source(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    start = threading.Barrier(4)

    def tag(_: int) -> None:
        start.wait(SECONDS)
        source.tag("t").close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(tag, range(4)))
    assert len(host.sources()) == 2


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"key": 5}, TypeError, "key"),
        ({"key": 5, "timeout": 1}, TypeError, "key"),
        ({"tag": 5}, TypeError, "tag"),
        ({"tag": ["t"]}, TypeError, "tag"),
        ({"tag": "a\0"}, ValueError, "tag"),
        ({"tag": ""}, remora.InvalidArgumentError, "tag"),
        ({"tag": "t" * 257}, remora.InvalidArgumentError, "tag"),
        ({"timeout": "1"}, TypeError, "timeout"),
        ({"timeout": True}, TypeError, "timeout"),
        ({"timeout": -1}, ValueError, "timeout"),
        ({"timeout": math.nan, "tag": "t"}, ValueError, "timeout"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_argument_of_get_names_the_argument(
    host: remora.Client, settings: SettingsServer, arguments: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        opened(host, settings).get(**{"key": "k", **arguments})
    assert settings.requests == []
