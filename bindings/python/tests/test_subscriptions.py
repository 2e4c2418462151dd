# SPDX-License-Identifier: Apache-2.0
"""Callbacks: what they are told, where they run, and how they end."""

from __future__ import annotations

import gc
import logging
import queue
import select
import sys
import threading
import weakref
from typing import Any

import pytest

import remora
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

SECONDS = 20.0


def publish(collection: Collection, text: str, key: str = "banner") -> None:
    collection.publish({key: {"text": text}})


def test_a_subscriber_is_told_of_every_outcome(source: remora.Source, collection: Collection, server: V2Server) -> None:
    told: queue.Queue[Any] = queue.Queue()
    before = source.snapshot()
    with source.subscribe(told.put):
        publish(collection, "New")
        source.refresh(30)
        event = told.get(timeout=SECONDS)
        assert (event.cause, event.outcome) == (remora.Cause.REFRESHED, remora.Outcome.UPDATED)
        assert (event.origin, event.version) == (remora.Origin.FETCHED, collection.timestamp)
        assert (event.error, event.storage_error) == (None, None)
        assert event.old["banner"] == before["banner"] and event.new.at("banner", "/text") == "New"
        (change,) = event.changes
        assert (change.kind, change.key) == (remora.ChangeKind.UPDATED, "banner")
        assert change.old == before["banner"] and change.new == event.new["banner"]
        source.refresh(30)
        assert told.get(timeout=SECONDS).outcome is remora.Outcome.UNCHANGED
        server.set_fault("changeset", v2_faults.status(500))
        with pytest.raises(remora.HttpError):
            source.refresh(30)
        failed = told.get(timeout=SECONDS)
        assert failed.outcome is remora.Outcome.FAILED and isinstance(failed.error, remora.HttpError)


def test_a_subscriber_of_a_key_is_told_of_that_key_only(source: remora.Source, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with source.subscribe(told.put, key="watched"):
        publish(collection, "Not this")
        source.refresh(30)
        collection.publish({"watched": {"n": 1}, "banner": {}})
        source.refresh(30)
        (change,) = told.get(timeout=SECONDS).changes
        assert (change.kind, change.key, change.old) == (remora.ChangeKind.CREATED, "watched", None)
        collection.delete("watched")
        source.refresh(30)
        (change,) = told.get(timeout=SECONDS).changes
        assert (change.kind, change.new) == (remora.ChangeKind.DELETED, None)


def test_the_current_state_is_replayed_on_demand(source: remora.Source) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with source.subscribe(told.put, replay=True):
        event = told.get(timeout=SECONDS)
    assert (event.cause, event.changes) == (remora.Cause.OPENED, ()) and "banner" in event.new


def test_a_first_subscriber_is_told_the_start_and_what_follows(client: remora.Client, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    packaged = '{"data": [{"id": "banner", "last_modified": 1}], "timestamp": 1}'
    with client.collection(collection.name, trust="off", packaged_data=packaged, on_event=told.put) as source:
        opened = told.get(timeout=SECONDS)
        assert (opened.cause, opened.origin) == (remora.Cause.OPENED, remora.Origin.PACKAGED)
        source.refresh(30)
        assert told.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED


def test_events_and_their_snapshots_may_be_kept(source: remora.Source, client: remora.Client) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with source.subscribe(told.put, replay=True):
        event = told.get(timeout=SECONDS)
    client.close()
    assert event.new.at("banner", "/text") == "Hi" and "OPENED" in repr(event)


def test_callbacks_run_on_one_thread_of_the_package(source: remora.Source, collection: Collection) -> None:
    threads: queue.Queue[Any] = queue.Queue()
    with source.subscribe(lambda _: threads.put(threading.current_thread()), replay=True):
        first = threads.get(timeout=SECONDS)
        request = source.refresh_async(lambda *_: threads.put(threading.current_thread()))
        assert {threads.get(timeout=SECONDS) for _ in range(2)} == {first}
        assert first.name == "remora-dispatch" and first.daemon
        del request


def test_reading_and_refreshing_start_no_thread(source: remora.Source) -> None:
    assert source["banner"] and source.wait(30).error is None
    assert "remora-dispatch" not in {thread.name for thread in threading.enumerate()}


def test_an_exception_goes_to_the_unraisable_hook_and_the_subscription_goes_on(
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


def test_an_exception_goes_to_the_clients_logger(
    server: V2Server, collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "tests.remora")

    def fail(_: remora.Event) -> None:
        raise LookupError("mine")

    with remora.Client(None, server=server.url, logger=logging.getLogger("tests.remora")) as client:
        source = client.collection(collection.name, trust="off", on_event=fail)
        record = wait_until(lambda: caplog.records, "the record")[0]
        assert record.exc_info is not None and isinstance(record.exc_info[1], LookupError)
        assert source.closed is False
    caplog.clear()  # Its traceback keeps the frames of the thread.


def test_messages_of_the_library_go_to_the_logger(
    server: V2Server, collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    logger = logging.getLogger("tests.remora")
    caplog.set_level(logging.DEBUG, logger.name)
    with remora.Client(None, server=server.url, logger=logger) as client:
        source = client.collection(collection.name, trust="off")
        source.refresh(30)
        wait_until(lambda: caplog.records, "a message")
    assert {record.levelno for record in caplog.records} <= {10, 20, 30, 40}


def test_a_logger_that_raises_or_closes_harms_nothing(
    server: V2Server, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)
    logger = logging.Logger("tests.remora", logging.DEBUG)

    def close_and_fail(_: logging.LogRecord) -> bool:
        client.close()
        raise LookupError("mine")

    logger.addFilter(close_and_fail)
    client = remora.Client(None, server=server.url, logger=logger)
    source = client.collection(collection.name, trust="off")
    source.refresh(30)
    assert isinstance(unraisable.get(timeout=SECONDS).exc_value, LookupError)
    wait_until(lambda: source.closed, "the end of the client")


def test_a_subscription_ends_with_its_last_reference(source: remora.Source, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    other: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(told.put)
    with source.subscribe(other.put):
        del subscription
        publish(collection, "New")
        source.refresh(30)
        other.get(timeout=SECONDS)
    assert told.empty()


def test_a_subscription_in_a_cycle_with_its_callback_ends_with_the_garbage(
    source: remora.Source, collection: Collection
) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.subscription = source.subscribe(self.on_event)

        def on_event(self, _: remora.Event) -> None:
            pytest.fail("told behind its end")

    watcher = weakref.ref(Watcher())
    gc.collect()
    assert watcher() is None
    publish(collection, "New")
    source.refresh(30)


def test_ending_in_the_collector_does_not_wait_for_the_callback(source: remora.Source) -> None:
    lock, entered, left = threading.Lock(), threading.Event(), threading.Event()

    def wait_for_the_lock(_: remora.Event) -> None:
        entered.set()
        with lock:
            left.set()

    with lock:  # Whoever waited for the callback here would wait for ever.
        subscription = source.subscribe(wait_for_the_lock, replay=True)
        assert entered.wait(SECONDS)
        del subscription
    assert left.wait(SECONDS)


def test_close_waits_for_a_callback_that_is_running(source: remora.Source) -> None:
    entered, may_leave, left = threading.Event(), threading.Event(), threading.Event()

    def linger(_: remora.Event) -> None:
        entered.set()
        may_leave.wait(SECONDS)
        left.set()

    subscription = source.subscribe(linger, replay=True)
    assert entered.wait(SECONDS)
    closer = threading.Thread(target=subscription.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    may_leave.set()
    closer.join(SECONDS)
    assert left.is_set() and not closer.is_alive()


def test_a_callback_may_end_its_own_subscription(source: remora.Source, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    kept: list[remora.Subscription] = []

    def once(event: remora.Event) -> None:
        kept.pop().close()
        told.put(event)

    kept.append(source.subscribe(once))
    for text in ("one", "two"):
        publish(collection, text)
        source.refresh(30)
    told.get(timeout=SECONDS)
    assert told.empty()


def test_a_callback_may_drop_its_own_subscription(source: remora.Source, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    kept: list[remora.Subscription] = []

    def once(event: remora.Event) -> None:
        kept.clear()
        gc.collect()
        told.put(event)

    kept.append(source.subscribe(once, replay=True))
    told.get(timeout=SECONDS)
    publish(collection, "New")
    source.refresh(30)
    assert told.empty()


def test_a_callback_may_refresh_and_subscribe(source: remora.Source, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    publish(collection, "New")

    def refresh(event: remora.Event) -> None:
        if event.cause is remora.Cause.OPENED:
            told.put(source.refresh(30))
            told.put(source.subscribe(told.put, replay=True))

    with source.subscribe(refresh, replay=True):
        assert told.get(timeout=SECONDS) is remora.Outcome.UPDATED
        inner = told.get(timeout=SECONDS)
        assert told.get(timeout=SECONDS).new.at("banner", "/text") == "New"
        inner.close()


def test_a_callback_may_close_the_client(client: remora.Client, source: remora.Source) -> None:
    closed = threading.Event()

    def close(_: remora.Event) -> None:
        client.close()
        closed.set()

    subscription = source.subscribe(close, replay=True)
    assert closed.wait(SECONDS) and client.closed and source.closed
    with pytest.raises(remora.ClosedError):
        source["banner"]
    subscription.close()


def test_closing_a_source_ends_its_subscriptions(source: remora.Source, client: remora.Client) -> None:
    told: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(told.put)
    source.close()
    source.close()
    for read in (lambda: source["banner"], source.snapshot, source.info, source.refresh, source.wait, source.reset):
        with pytest.raises(remora.ClosedError):
            read()
    with pytest.raises(remora.ClosedError):
        source.subscribe(print)
    assert source.get_int("banner", "/n", 7) == 7 and source.get_str("banner", "/text") is None
    assert told.empty() and source.closed and not client.closed and "closed" in repr(source)
    subscription.close()


def test_a_closed_client_says_so(client: remora.Client, source: remora.Source) -> None:
    client.close()
    client.close()
    with pytest.raises(remora.ClosedError):
        client.collection("demo")
    for read in (lambda: source["banner"], source.snapshot, source.info, source.refresh, source.wait):
        with pytest.raises(remora.ClosedError):
            read()
    assert source.get_bool("banner", "/on", default=False) is False and "closed" in repr(client)


def test_a_client_ends_with_its_last_reference(server: V2Server, collection: Collection) -> None:
    source = remora.Client(None, server=server.url).collection(collection.name, trust="off")
    told: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(told.put)
    source.refresh(30)  # The source keeps its client open, and the subscription its source.
    del source
    assert told.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED
    thread = next(one for one in threading.enumerate() if one.name == "remora-dispatch")
    del subscription
    thread.join(SECONDS)
    assert not thread.is_alive()


def test_closing_while_another_thread_refreshes_is_quick(
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


def test_an_asynchronous_refresh_tells_its_end(source: remora.Source, server: V2Server) -> None:
    told: queue.Queue[Any] = queue.Queue()
    source.refresh_async(lambda *end: told.put(end))
    assert told.get(timeout=SECONDS) == (remora.Outcome.UNCHANGED, None)
    server.set_fault("changeset", v2_faults.status(404), times=1)
    source.refresh_async(lambda *end: told.put(end), force=True)
    outcome, error = told.get(timeout=SECONDS)
    assert outcome is remora.Outcome.FAILED and isinstance(error, remora.HttpError)


def test_an_asynchronous_refresh_can_be_cancelled(source: remora.Source, server: V2Server) -> None:
    told: queue.Queue[Any] = queue.Queue()
    server.set_fault("changeset", v2_faults.hang())
    request = source.refresh_async(lambda *end: told.put(end))
    request.cancel()
    _, error = told.get(timeout=SECONDS)
    assert isinstance(error, remora.CancelledError)


def test_a_callback_of_a_refresh_that_raises_harms_nothing(
    source: remora.Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)
    source.refresh_async(lambda: None)  # type: ignore[arg-type, misc]
    assert isinstance(unraisable.get(timeout=SECONDS).exc_value, TypeError)
    assert source.refresh(30) is remora.Outcome.UNCHANGED


def test_waiting_gives_the_fresh_snapshot_or_says_why_not(source: remora.Source, server: V2Server) -> None:
    collection = server.collection("waiting")
    collection.publish({"a": {"n": 1}})
    assert source.wait(30).error is None and source.wait(0).error is None
    server.set_fault("changeset", v2_faults.status(500))
    fallback = source.wait(30)
    assert isinstance(fallback.error, remora.HttpError) and fallback.at("banner", "/text") == "Hi"
    assert source.wait(30, only_if_empty=True).error is None
    with pytest.raises(remora.TimeoutError):
        source.refresh(0)


def test_a_reset_forgets_what_was_fetched(source: remora.Source) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with source.subscribe(told.put):
        source.reset()
        assert told.get(timeout=SECONDS).cause is remora.Cause.RESET
    assert dict(source) == {} and source.refresh(30) is remora.Outcome.UPDATED


def test_a_host_may_dispatch_by_itself(server: V2Server, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with remora.Client(None, server=server.url, dispatch="manual") as client:
        source = client.collection(collection.name, trust="off")
        with source.subscribe(lambda event: told.put((event, threading.current_thread()))):
            source.refresh(30)
            assert told.empty() and client.fileno() == client.fileno()
            assert select.select([client], [], [], SECONDS)[0] == [client]
            assert client.dispatch() == 1 and client.dispatch() == 0
            event, thread = told.get_nowait()
        assert event.outcome is remora.Outcome.UPDATED and thread is threading.current_thread()


def test_dispatching_inside_a_callback_is_busy(server: V2Server, collection: Collection) -> None:
    told: queue.Queue[Any] = queue.Queue()
    with remora.Client(None, server=server.url, dispatch="manual") as client:

        def nest(_: remora.Event) -> None:
            with pytest.raises(remora.BusyError):
                client.dispatch()
            told.put("refused")

        source = client.collection(collection.name, trust="off", on_event=nest)
        assert client.dispatch() == 1 and told.get_nowait() == "refused" and not source.closed


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_meant_for_the_host_leaves_its_dispatch(
    server: V2Server, collection: Collection, error: type[BaseException]
) -> None:
    def interrupt(_: remora.Event) -> None:
        raise error

    with remora.Client(None, server=server.url, dispatch="manual") as client:
        source = client.collection(collection.name, trust="off", on_event=interrupt)
        with pytest.raises(error):
            client.dispatch()
        assert client.dispatch() == 0 and not source.closed


def test_a_client_with_a_thread_is_not_dispatched_by_the_host(client: remora.Client) -> None:
    for call in (client.dispatch, client.fileno):
        with pytest.raises(RuntimeError, match="manual"):
            call()


def test_clients_may_close_each_other_in_their_callbacks(server: V2Server, collection: Collection) -> None:
    meeting = threading.Barrier(2, timeout=SECONDS)
    clients = [remora.Client(None, server=server.url) for _ in range(2)]
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
    assert {closed.get(timeout=SECONDS) for _ in clients} == set(clients)
    assert all(source.closed for source in sources)


def test_many_subscriptions_come_and_go_while_refreshes_run(source: remora.Source, collection: Collection) -> None:
    stop = threading.Event()

    def refresh() -> None:
        while not stop.is_set():
            publish(collection, "again")
            source.refresh(30)

    refresher = threading.Thread(target=refresh)
    refresher.start()
    try:
        for number in range(200):
            subscription = source.subscribe(lambda _: None, replay=number % 2 == 0)
            if number % 3 == 0:
                subscription.close()
            assert source.get_str("banner", "/text") is not None
            assert source["banner"]
    finally:
        stop.set()
        refresher.join(SECONDS)
