# SPDX-License-Identifier: Apache-2.0
"""Refreshing without waiting, waiting, and starting over."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any

import pytest

import remora
from Servers import v2_faults
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

SECONDS = 20.0


def test_closing_the_client_is_quick_while_another_thread_refreshes(
    source: remora.Source, client: remora.Client, server: V2Server
) -> None:
    server.set_fault("changeset", v2_faults.hang())
    ended: queue.Queue[Any] = queue.Queue()

    def refresh() -> None:
        try:
            source.refresh()
        except remora.Error as error:
            ended.put(error)

    asked = server.count("changeset")
    thread = threading.Thread(target=refresh)
    thread.start()
    wait_until(lambda: server.count("changeset") > asked, "the request")
    source.close()  # Leaves the handle to the thread that uses it.
    client.close()
    assert isinstance(ended.get(timeout=SECONDS), remora.ClosedError)
    thread.join(SECONDS)


def test_an_asynchronous_refresh_reports_its_completion(source: remora.Source, server: V2Server) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    source.refresh_async(lambda *end: seen.put(end))
    assert seen.get(timeout=SECONDS) == (remora.Outcome.UNCHANGED, None)
    server.set_fault("changeset", v2_faults.status(404), times=1)
    source.refresh_async(lambda *end: seen.put(end), force=True)
    outcome, error = seen.get(timeout=SECONDS)
    assert outcome is remora.Outcome.FAILED and isinstance(error, remora.HttpError)


def test_an_asynchronous_refresh_without_a_callback_notifies_subscribers(
    source: remora.Source, server: V2Server
) -> None:
    seen: queue.Queue[remora.Event] = queue.Queue()
    with source.subscribe(seen.put):
        source.refresh_async()
        assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UNCHANGED
        server.set_fault("changeset", v2_faults.hang())
        source.refresh_async().cancel()
        source.close()
    with pytest.raises(remora.ClosedError):
        source.refresh_async()


def test_an_asynchronous_refresh_without_a_callback_starts_no_python_thread(server: V2Server) -> None:
    with remora.Client.in_memory(server=server.url) as client:
        source = client.collection("quiet", trust="off")
        before = server.count("changeset")
        source.refresh_async()
        wait_until(lambda: server.count("changeset") > before, "the request")
        assert "remora-dispatch" not in {thread.name for thread in threading.enumerate()}


def test_an_asynchronous_refresh_can_be_cancelled(source: remora.Source, server: V2Server) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    server.set_fault("changeset", v2_faults.hang())
    request = source.refresh_async(lambda *end: seen.put(end))
    request.cancel()
    _, error = seen.get(timeout=SECONDS)
    assert isinstance(error, remora.CancelledError)


def test_an_exception_in_the_callback_of_a_refresh_is_reported_and_affects_nothing_else(
    source: remora.Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)
    source.refresh_async(lambda: None)  # type: ignore[arg-type, misc]
    assert isinstance(unraisable.get(timeout=SECONDS).exc_value, TypeError)
    assert source.refresh(30) is remora.Outcome.UNCHANGED


def test_the_second_argument_of_refresh_async_is_its_timeout_and_never_forces_a_request(source: remora.Source) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    source.refresh_async(lambda *end: seen.put(end), 0)
    outcome, error = seen.get(timeout=SECONDS)
    assert outcome is remora.Outcome.FAILED and isinstance(error, remora.TimeoutError)
    untyped: Any = source
    with pytest.raises(TypeError):
        untyped.refresh_async(None, True)
    for call in (untyped.refresh, untyped.wait):
        with pytest.raises(TypeError):
            call(30, True)
    with pytest.raises(TypeError):
        untyped.wait_async(print, 30, True)


def test_wait_returns_the_fetched_snapshot_or_the_previous_snapshot_with_the_error(
    source: remora.Source, server: V2Server
) -> None:
    collection = server.collection("waiting")
    collection.publish({"a": {"n": 1}})
    assert source.wait(30).error is None
    at_once = source.wait(0)
    assert isinstance(at_once.error, remora.TimeoutError) and at_once.at("banner", "/text") == "Hi"
    server.set_fault("changeset", v2_faults.status(500))
    fallback = source.wait(30)
    assert isinstance(fallback.error, remora.HttpError) and fallback.at("banner", "/text") == "Hi"
    assert source.wait(30, only_if_empty=True).error is None
    with pytest.raises(remora.TimeoutError):
        source.refresh(0)


def test_wait_returns_the_previous_snapshot_and_the_error_if_the_source_is_closed_after_the_failure(
    source: remora.Source, server: V2Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = remora.Source.snapshot

    def close_and_take(self: remora.Source) -> remora.Snapshot:
        self.close()
        return take(self)

    def take_once(self: remora.Source) -> remora.Snapshot:
        monkeypatch.setattr(remora.Source, "snapshot", close_and_take)
        return take(self)

    server.set_fault("changeset", v2_faults.status(500))
    monkeypatch.setattr(remora.Source, "snapshot", take_once)
    fallback = source.wait(30)
    assert isinstance(fallback.error, remora.HttpError) and fallback.at("banner", "/text") == "Hi" and source.closed


def test_only_if_empty_requests_nothing_for_a_source_with_data_in_refresh_wait_and_sync(
    client: remora.Client, source: remora.Source, server: V2Server
) -> None:
    server.set_fault("changeset", v2_faults.status(500))
    assert source.refresh(30, only_if_empty=True) is remora.Outcome.NONE
    assert source.wait(30, only_if_empty=True).error is None
    assert client.sync(30, only_if_empty=True).error is None
    completions: queue.SimpleQueue[Any] = queue.SimpleQueue()
    source.refresh_async(lambda *result: completions.put(result), 30, only_if_empty=True)
    assert completions.get(timeout=30) == (remora.Outcome.NONE, None)


def test_force_together_with_only_if_empty_is_an_error_that_names_the_option(
    client: remora.Client, source: remora.Source
) -> None:
    for call in (source.refresh, source.wait, client.sync):
        with pytest.raises(remora.InvalidArgumentError, match="(^|: )only_if_empty must not be "):
            call(30, force=True, only_if_empty=True)
    with pytest.raises(TypeError, match="force must be bool, not int"):
        source.refresh(30, force=1)  # type: ignore[arg-type]


def test_the_change_count_of_a_source_increases_when_other_data_becomes_live(source: remora.Source) -> None:
    count = source.change_count
    assert source.get_str("banner", "/text") == "Hi" and source.change_count == count
    source.overrides["banner", "/text"] = "Ho"
    assert source.change_count == count + 1
    source.close()
    assert source.change_count == 0


def test_a_reset_deletes_fetched_data(source: remora.Source) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with source.subscribe(seen.put):
        source.reset()
        assert seen.get(timeout=SECONDS).cause is remora.Cause.RESET
    assert dict(source) == {} and source.refresh(30) is remora.Outcome.UPDATED
