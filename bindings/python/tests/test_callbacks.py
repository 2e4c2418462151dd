# SPDX-License-Identifier: Apache-2.0
"""Where callbacks run, what they may do, and what becomes of their exceptions."""

from __future__ import annotations

import contextlib
import logging
import queue
import select
import signal
import sys
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS
from remora._runtime.dispatching import ThreadDispatching
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

SECONDS = 20.0


def publish(collection: Collection, text: str, key: str = "banner") -> None:
    collection.publish({key: {"text": text}})


def test_all_callbacks_of_a_client_run_on_one_thread_that_the_package_starts(
    source: remora.Source, collection: Collection
) -> None:
    threads: queue.Queue[Any] = queue.Queue()
    with source.subscribe(lambda _: threads.put(threading.current_thread()), replay=True):
        first = threads.get(timeout=SECONDS)
        request = source.refresh_async(lambda *_: threads.put(threading.current_thread()))
        assert {threads.get(timeout=SECONDS) for _ in range(2)} == {first}
        assert first.name == "remora-dispatch" and first.daemon
        del request


def test_reading_and_refreshing_start_no_thread_for_callbacks(source: remora.Source) -> None:
    assert source["banner"] and source.wait(30).error is None
    assert "remora-dispatch" not in {thread.name for thread in threading.enumerate()}


def test_an_exception_in_a_callback_is_passed_to_the_unraisable_hook_and_the_subscription_continues(
    source: remora.Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)

    def fail(_: remora.Event) -> None:
        raise LookupError("mine")

    with source.subscribe(fail):
        for _ in range(2):
            source.refresh(30)
            seen = unraisable.get(timeout=SECONDS)
            assert isinstance(seen.exc_value, LookupError) and seen.object is fail
            assert seen.exc_traceback is not None and "remora" in seen.err_msg


def test_an_unraisable_hook_that_raises_does_not_end_the_thread_for_callbacks(
    source: remora.Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: queue.Queue[None] = queue.Queue()

    def refuse(_: Any) -> None:
        refused.put(None)
        raise ValueError("I/O operation on closed file")

    def leave(_: remora.Event) -> None:
        raise SystemExit

    monkeypatch.setattr(sys, "unraisablehook", refuse)
    with source.subscribe(leave):
        for _ in range(2):
            source.refresh(30)
            refused.get(timeout=SECONDS)


def test_queued_log_messages_are_written_before_close_returns(
    server: V2Server, collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("tests.remora")
    caplog.set_level(logging.DEBUG, logger.name)
    client = remora.Client.in_memory(server=server.url, logger=logger, dispatch="manual")
    client.collection(collection.name, trust="off").refresh(30)
    assert not caplog.records
    client.close()
    assert any("was fetched" in record.getMessage() for record in caplog.records)
    caplog.clear()


def test_an_exception_in_a_callback_is_logged_by_the_logger_of_the_client(
    server: V2Server, collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "tests.remora")

    def fail(_: remora.Event) -> None:
        raise LookupError("mine")

    with remora.Client.in_memory(server=server.url, logger=logging.getLogger("tests.remora")) as client:
        source = client.collection(collection.name, trust="off", on_event=fail)
        record = wait_until(lambda: caplog.records, "the record")[0]
        assert record.exc_info is not None and isinstance(record.exc_info[1], LookupError)
        assert source.closed is False
    caplog.clear()  # Its traceback keeps the frames of the thread.


def test_log_messages_of_the_library_go_to_the_logger_of_the_client(
    server: V2Server, collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("tests.remora")
    caplog.set_level(logging.DEBUG, logger.name)
    with remora.Client.in_memory(server=server.url, logger=logger) as client:
        source = client.collection(collection.name, trust="off")
        source.refresh(30)
        wait_until(lambda: caplog.records, "a message")
    assert {record.levelno for record in caplog.records} <= {10, 20, 30, 40}


def test_an_exception_in_the_logger_is_reported_and_the_logger_can_close_the_client(
    server: V2Server, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)
    logger = logging.Logger("tests.remora", logging.DEBUG)

    def close_and_fail(_: logging.LogRecord) -> bool:
        client.close()
        raise LookupError("mine")

    logger.addFilter(close_and_fail)
    # With a name there is no message, and no call of the filter, before the client is assigned.
    client = remora.Client.in_memory(server=server.url, application_name="tests", logger=logger)
    source = client.collection(collection.name, trust="off")
    with contextlib.suppress(remora.ClosedError):  # The first message may come before the end of the refresh.
        source.refresh(30)
    assert isinstance(unraisable.get(timeout=SECONDS).exc_value, LookupError)
    wait_until(lambda: source.closed, "the end of the client")


def test_a_callback_can_refresh_and_subscribe(source: remora.Source, collection: Collection) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    publish(collection, "New")

    def refresh(event: remora.Event) -> None:
        if event.cause is remora.Cause.OPENED:
            seen.put(source.refresh(30))
            seen.put(source.subscribe(seen.put, replay=True))

    with source.subscribe(refresh, replay=True):
        assert seen.get(timeout=SECONDS) is remora.Outcome.UPDATED
        inner = seen.get(timeout=SECONDS)
        assert seen.get(timeout=SECONDS).new.at("banner", "/text") == "New"
        inner.close()


def test_a_callback_can_close_the_client(client: remora.Client, source: remora.Source) -> None:
    closed = threading.Event()

    def close(_: remora.Event) -> None:
        client.close()
        closed.set()

    subscription = source.subscribe(close, replay=True)
    assert closed.wait(SECONDS) and client.closed and source.closed
    with pytest.raises(remora.ClosedError):
        source["banner"]
    subscription.close()


def test_close_returns_after_the_thread_for_callbacks_has_ended(
    client: remora.Client, source: remora.Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forget(self: ThreadDispatching) -> None:
        usual(self)
        closed.wait(0.2)  # The last steps of the thread, on a busy machine.

    usual, closed = ThreadDispatching._forget, threading.Event()
    monkeypatch.setattr(ThreadDispatching, "_forget", forget)
    seen: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
    with source.subscribe(lambda _: seen.put(threading.current_thread()), replay=True):
        thread = seen.get(timeout=SECONDS)
        client.close()
        is_alive = thread.is_alive()
        closed.set()
    assert not is_alive


def test_with_manual_dispatch_callbacks_run_inside_dispatch(server: V2Server, collection: Collection) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:
        source = client.collection(collection.name, trust="off")
        with source.subscribe(lambda event: seen.put((event, threading.current_thread()))):
            source.refresh(30)
            assert seen.empty() and client.fileno() == client.fileno()
            assert select.select([client], [], [], SECONDS)[0] == [client]
            assert client.dispatch() == 1 and client.dispatch() == 0
            event, thread = seen.get_nowait()
        assert event.outcome is remora.Outcome.UPDATED and thread is threading.current_thread()


def test_dispatch_inside_a_callback_raises_busy_error(server: V2Server, collection: Collection) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:

        def nest(_: remora.Event) -> None:
            with pytest.raises(remora.BusyError):
                client.dispatch()
            seen.put("refused")

        source = client.collection(collection.name, trust="off", on_event=nest)
        assert client.dispatch() == 1 and seen.get_nowait() == "refused" and not source.closed


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_keyboard_interrupt_and_system_exit_in_a_callback_are_raised_by_dispatch(
    server: V2Server, collection: Collection, error: type[BaseException]
) -> None:
    def interrupt(_: remora.Event) -> None:
        raise error

    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:
        source = client.collection(collection.name, trust="off", on_event=interrupt)
        with pytest.raises(error):
            client.dispatch()
        assert client.dispatch() == 0 and not source.closed


def test_if_two_callbacks_of_a_dispatch_raise_keyboard_interrupt_or_system_exit_the_second_one_is_reported(
    server: V2Server, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)

    def leave(_: remora.Event) -> None:
        raise SystemExit

    def interrupt(_: remora.Event) -> None:
        raise KeyboardInterrupt

    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:
        source = client.collection(collection.name, trust="off", on_event=leave)
        with source.subscribe(interrupt, replay=True), pytest.raises(SystemExit):
            client.dispatch()
    assert [type(one.exc_value) for one in reported] == [KeyboardInterrupt]


def test_a_close_that_a_signal_handler_interrupts_leaves_the_client_open_for_the_next_close(
    server: V2Server, collection: Collection
) -> None:
    running, ending = threading.Event(), threading.Event()

    def use() -> None:
        with client._core.using():
            running.set()
            ending.wait(SECONDS)

    def leave(*_: object) -> None:
        raise LookupError("mine")

    client = remora.Client.in_memory(server=server.url)
    source = client.collection(collection.name, trust="off")
    before = signal.signal(signal.SIGALRM, leave)
    user = threading.Thread(target=use)
    user.start()
    try:
        assert running.wait(SECONDS)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(LookupError, match="mine"):
            client.close()
    finally:
        ending.set()
        user.join(SECONDS)
        signal.signal(signal.SIGALRM, before)
    assert not client.closed and source.refresh(30) is remora.Outcome.UPDATED
    client.close()
    with pytest.raises(remora.ClosedError):
        source.refresh(30)


def test_dispatch_is_refused_for_a_client_that_has_a_thread_for_callbacks(client: remora.Client) -> None:
    for call in (client.dispatch, client.fileno):
        with pytest.raises(RuntimeError, match="manual"):
            call()


def test_two_clients_can_close_each_other_in_their_callbacks(server: V2Server, collection: Collection) -> None:
    meeting = threading.Barrier(3, timeout=SECONDS)
    clients = [remora.Client.in_memory(server=server.url) for _ in range(2)]
    closed: queue.Queue[Any] = queue.Queue()

    def closing(other: remora.Client) -> Any:
        def close(_: remora.Event) -> None:
            meeting.wait()
            other.close()
            closed.put(other)

        return close

    sources = [
        client.collection(collection.name, trust="off", on_event=closing(clients[1 - number]))
        for number, client in enumerate(clients)
    ]
    meeting.wait()
    assert {closed.get(timeout=SECONDS) for _ in clients} == set(clients)
    assert all(source.closed for source in sources)
