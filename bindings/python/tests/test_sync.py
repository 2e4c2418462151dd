# SPDX-License-Identifier: Apache-2.0
"""Syncing."""

from __future__ import annotations

import math
import queue
import signal
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS, RunPython
from Servers import v2_faults
from Servers.v2_server import CHANGESET, MONITOR, V2Server
from Servers.waiting import wait_until

NOBODY = "nobody-made-it"


def open_all(client: remora.Client, names: list[str]) -> list[remora.Source]:
    return [client.collection(name, trust="off") for name in names]


def counts(report: remora.SyncReport) -> tuple[int, int, int, int]:
    return report.total, report.updated, report.unchanged, report.failed


def test_a_sync_fetches_changed_collections_and_sends_no_other_request(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    first, second = open_all(client, names)
    report = client.sync(30)
    assert (counts(report), report.error) == ((2, 2, 0, 0), None)
    assert [(item.source_name, item.outcome, item.error) for item in report.items] == [
        (f"main/{name}", remora.Outcome.UPDATED, None) for name in names
    ]
    assert report.items[0].server == server.url and first.get_int("a", "/n") == 1
    server.collection(names[1]).publish({"a": {"n": 2}})
    asked, monitors = server.count(CHANGESET), server.count(MONITOR)
    report = client.sync()
    assert counts(report) == (2, 1, 1, 0) and second.get_int("a", "/n") == 2
    assert [item.outcome for item in report.items] == [remora.Outcome.UNCHANGED, remora.Outcome.UPDATED]
    assert (server.count(CHANGESET) - asked, server.count(MONITOR) - monitors) == (1, 1)
    report.raise_for_failures()


def test_a_sync_sends_the_option_expected_version_with_its_request_for_the_list_of_changes(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    sources = open_all(client, names)
    assert client.sync(30, expected_version=1234).total == len(sources)
    ended = queue.SimpleQueue[remora.SyncReport]()
    client.sync_async(ended.put, expected_version=2345)
    assert ended.get(timeout=SECONDS).error is None
    asked = [request.query["_expected"] for request in server.requests if request.path.endswith("/changes/changeset")]
    assert asked[-2:] == ["1234", "2345"]


@pytest.mark.parametrize(
    ("version", "error"), [(-1, ValueError), (1 << 63, ValueError), ("1", TypeError), (True, TypeError)]
)
def test_a_sync_with_an_invalid_expected_version_is_refused(client: remora.Client, version: Any, error: type) -> None:
    with pytest.raises(error, match="expected_version"):
        client.sync(1, expected_version=version)
    with pytest.raises(error, match="expected_version"):
        client.sync_async(print, expected_version=version)


def test_a_sync_reports_the_error_of_a_source_that_fails_and_fetches_all_other_sources(
    client: remora.Client, names: list[str]
) -> None:
    sources = open_all(client, [NOBODY, *names])
    report = client.sync(30)
    assert counts(report) == (3, 2, 0, 1) and len(sources[1]) == 1
    failed = report.items[0]
    assert failed.outcome is remora.Outcome.FAILED and isinstance(failed.error, remora.HttpError)
    with pytest.raises(remora.HttpError, match="1 of 3 sources failed") as caught:
        report.raise_for_failures()
    assert caught.value is report.error and caught.value.http_status == failed.error.http_status


def test_a_sync_of_a_client_without_sources_has_an_empty_report(client: remora.Client) -> None:
    report = client.sync(30)
    assert (counts(report), report.items, report.error) == ((0, 0, 0, 0), (), None)


def test_the_report_of_a_sync_is_read_only_and_its_repr_lists_its_items(
    client: remora.Client, names: list[str]
) -> None:
    source = client.collection(names[0], trust="off")
    report = client.sync(30)
    with pytest.raises(AttributeError):
        report.total = 5
    assert "SyncItem(" in repr(report) and names[0] in repr(report) and len(source) == 1


@pytest.mark.parametrize("timeout", [0, 0.2])
def test_a_sync_reports_a_timeout_for_each_source_that_was_not_fetched_in_time(
    client: remora.Client, server: V2Server, names: list[str], timeout: float
) -> None:
    sources = open_all(client, names)
    server.set_fault(CHANGESET, v2_faults.hang())
    report = client.sync(timeout)
    assert counts(report) == (2, 0, 0, 2) and isinstance(report.error, remora.TimeoutError)
    assert all(isinstance(item.error, remora.TimeoutError) for item in report.items)
    server.clear_faults()
    assert client.sync(30).updated == len(sources)


def test_an_error_about_an_invalid_timeout_or_callback_of_a_sync_names_the_argument(client: remora.Client) -> None:
    for wrong, error in (("1", TypeError), (True, TypeError), (-1, ValueError), (math.nan, ValueError)):
        with pytest.raises(error, match="timeout"):
            client.sync(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="callable"):
        client.sync_async("no function")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="callable"):
        remora.Client.in_memory(on_attempt=5)  # type: ignore[arg-type]


def test_a_closed_client_cannot_sync(client: remora.Client) -> None:
    client.close()
    with pytest.raises(remora.ClosedError):
        client.sync(30)
    with pytest.raises(remora.ClosedError):
        client.sync_async(lambda _: None)


def test_closing_the_client_waits_for_a_sync_on_another_thread(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    server.set_fault(CHANGESET, v2_faults.hang())
    sources = open_all(client, names)
    ended: queue.Queue[Any] = queue.Queue()

    def sync() -> None:
        try:
            ended.put(client.sync(timeout=0.3))
        except remora.Error as error:
            ended.put(error)

    asked = server.count(CHANGESET)
    thread = threading.Thread(target=sync)
    thread.start()
    wait_until(lambda: server.count(CHANGESET) > asked, "the request")
    client.close()
    report = ended.get(timeout=SECONDS)
    thread.join(SECONDS)
    assert report.failed == report.total and isinstance(report.error, remora.TimeoutError)
    assert all(source.closed for source in sources)


def test_an_exception_of_a_signal_handler_is_raised_when_the_sync_returns(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    sources = open_all(client, names)
    server.set_fault(MONITOR, v2_faults.hang())
    asked, main = server.count(MONITOR), threading.main_thread().ident or 0

    def leave(*_: object) -> None:
        raise LookupError("mine")

    def interrupt() -> None:
        wait_until(lambda: server.count(MONITOR) > asked, "the request")
        signal.pthread_kill(main, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, leave)
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(LookupError, match="mine"):
            client.sync(1)
    finally:
        thread.join(SECONDS)
        signal.signal(signal.SIGUSR1, before)
    server.clear_faults()
    assert client.sync(30).updated == len(sources)


def test_an_exception_of_a_second_signal_handler_is_raised_with_the_first_one_as_its_context(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    sources = open_all(client, names)
    server.set_fault(MONITOR, v2_faults.hang())
    asked, main = server.count(MONITOR), threading.main_thread().ident or 0
    handled: list[int] = []

    def leave(number: int, _: object) -> None:
        handled.append(number)
        raise LookupError(number)

    def interrupt() -> None:
        wait_until(lambda: server.count(MONITOR) > asked, "the request")
        for number in signals:
            signal.pthread_kill(main, number)
            wait_until(lambda number=number: number in handled, "the signal handler")  # type: ignore[misc]

    signals = [signal.SIGUSR1, signal.SIGUSR2]
    before = [signal.signal(number, leave) for number in signals]
    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        with pytest.raises(LookupError) as caught:
            client.sync(1)
    finally:
        thread.join(SECONDS)
        for number, handler in zip(signals, before):
            signal.signal(number, handler)
    first = caught.value.__context__
    assert not any(source.closed for source in sources)
    assert caught.value.args == (signal.SIGUSR2,) and first is not None and first.args == (signal.SIGUSR1,)


def test_an_asynchronous_sync_passes_its_report_to_the_callback(
    client: remora.Client, server: V2Server, names: list[str]
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    sources = open_all(client, names)
    sources.append(client.collection(names[0], trust="off", on_event=seen.put))
    assert seen.get(timeout=SECONDS).cause is remora.Cause.OPENED
    client.sync_async(seen.put)
    assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED
    assert seen.get(timeout=SECONDS).failed == 0


def test_an_asynchronous_sync_can_be_cancelled(client: remora.Client, server: V2Server, names: list[str]) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    sources = open_all(client, names)
    server.set_fault(CHANGESET, v2_faults.hang())
    request = client.sync_async(seen.put)
    request.cancel()
    report = seen.get(timeout=SECONDS)
    assert report.failed == len(sources) and isinstance(report.error, remora.CancelledError)


def test_a_callback_can_start_a_sync(client: remora.Client, names: list[str]) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    source = client.collection(names[0], trust="off", on_event=lambda _: None)
    with source.subscribe(lambda event: seen.put(client.sync(30)), replay=True):
        assert seen.get(timeout=SECONDS).failed == 0
    assert len(source) == 1


def test_a_client_with_manual_dispatch_can_sync(server: V2Server, names: list[str]) -> None:
    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:
        sources = open_all(client, names)
        assert client.sync(30).updated == len(sources)


def test_a_program_can_sync_in_an_exit_handler(run_python: RunPython, server: V2Server, names: list[str]) -> None:
    program = """
import atexit, sys, remora
client = remora.Client.in_memory(server=sys.argv[1])
source = client.collection(sys.argv[2], trust="off")
atexit.register(lambda: print(client.sync(30).updated))
"""
    done = run_python(program, server.url, names[0])
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
