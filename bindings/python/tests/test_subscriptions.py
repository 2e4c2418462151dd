# SPDX-License-Identifier: Apache-2.0
"""Subscriptions: their events and their end."""

from __future__ import annotations

import gc
import queue
import sys
import threading
import weakref
from typing import Any

import pytest

import remora
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

SECONDS = 20.0


def publish(collection: Collection, text: str, key: str = "banner") -> None:
    collection.publish({key: {"text": text}})


def test_a_subscriber_is_notified_of_the_outcome_of_every_refresh(
    source: remora.Source, collection: Collection, server: V2Server
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    before = source.snapshot()
    with source.subscribe(seen.put):
        publish(collection, "New")
        source.refresh(30)
        event = seen.get(timeout=SECONDS)
        assert (event.cause, event.outcome) == (remora.Cause.REFRESHED, remora.Outcome.UPDATED)
        assert (event.origin, event.version) == (remora.Origin.FETCHED, collection.timestamp)
        assert (event.error, event.storage_error) == (None, None)
        assert event.old["banner"] == before["banner"] and event.new.at("banner", "/text") == "New"
        (change,) = event.changes
        assert (change.kind, change.key) == (remora.ChangeKind.UPDATED, "banner")
        assert change.old == before["banner"] and change.new == event.new["banner"]
        source.refresh(30)
        assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UNCHANGED
        server.set_fault("changeset", v2_faults.status(500))
        with pytest.raises(remora.HttpError):
            source.refresh(30)
        failed = seen.get(timeout=SECONDS)
        assert failed.outcome is remora.Outcome.FAILED and isinstance(failed.error, remora.HttpError)


def test_a_subscriber_of_a_key_is_notified_of_that_key_only(source: remora.Source, collection: Collection) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with source.subscribe(seen.put, key="watched"):
        publish(collection, "Not this")
        source.refresh(30)
        collection.publish({"watched": {"n": 1}, "banner": {}})
        source.refresh(30)
        (change,) = seen.get(timeout=SECONDS).changes
        assert (change.kind, change.key, change.old) == (remora.ChangeKind.CREATED, "watched", None)
        collection.delete("watched")
        source.refresh(30)
        (change,) = seen.get(timeout=SECONDS).changes
        assert (change.kind, change.new) == (remora.ChangeKind.DELETED, None)


def test_a_callback_can_be_subscribed_twice_and_an_exception_in_another_callback_stops_neither(
    source: remora.Source, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: queue.Queue[str] = queue.Queue()
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", lambda seen: unraisable.put(type(seen.exc_value)))

    def note(_: remora.Event) -> None:
        seen.put("note")

    def fail(_: remora.Event) -> None:
        seen.put("fail")
        raise LookupError("mine")

    with source.subscribe(fail), source.subscribe(note), source.subscribe(note) as twice:
        publish(collection, "New")
        source.refresh(30)
        assert [seen.get(timeout=SECONDS) for _ in range(3)] == ["fail", "note", "note"]
        assert unraisable.get(timeout=SECONDS) is LookupError
        twice.close()
        source.refresh(30)
        assert [seen.get(timeout=SECONDS) for _ in range(2)] == ["fail", "note"]
        assert unraisable.get(timeout=SECONDS) is LookupError
    assert seen.empty()


def test_with_the_option_replay_the_first_event_of_a_subscription_reports_the_current_state(
    source: remora.Source,
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with source.subscribe(seen.put, replay=True):
        event = seen.get(timeout=SECONDS)
    assert (event.cause, event.changes) == (remora.Cause.OPENED, ()) and "banner" in event.new


def test_the_on_event_callback_is_notified_of_the_state_at_the_opening_and_of_updates(
    client: remora.Client, collection: Collection
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    packaged = '{"data": [{"id": "banner", "last_modified": 1}], "timestamp": 1}'
    with client.collection(collection.name, trust="off", packaged_data=packaged, on_event=seen.put) as source:
        opened = seen.get(timeout=SECONDS)
        assert (opened.cause, opened.origin) == (remora.Cause.OPENED, remora.Origin.PACKAGED)
        source.refresh(30)
        assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED


def test_events_and_their_snapshots_can_be_retained(source: remora.Source, client: remora.Client) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with source.subscribe(seen.put, replay=True):
        event = seen.get(timeout=SECONDS)
    client.close()
    assert event.new.at("banner", "/text") == "Hi" and "OPENED" in repr(event)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_subscription_ends_when_its_last_reference_is_dropped(source: remora.Source, collection: Collection) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    other: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(seen.put)
    with source.subscribe(other.put):
        del subscription
        publish(collection, "New")
        source.refresh(30)
        other.get(timeout=SECONDS)
    assert seen.empty()


def test_a_subscription_that_is_deleted_without_being_closed_issues_a_resource_warning(source: remora.Source) -> None:
    name = source.info().name
    with pytest.warns(ResourceWarning) as warned:
        source.subscribe(print)
    (warning,) = warned
    assert str(warning.message) == (
        f"unclosed <remora.Subscription collection {name!r} key=None open> was deleted:"
        " keep a reference to it while you need its callback, or close it"
    )
    assert warning.filename == __file__ and warning.source is None


@pytest.mark.parametrize("closed", ["subscription", "source", "client"])
def test_a_deleted_subscription_issues_no_warning_if_it_its_source_or_its_client_was_closed(
    client: remora.Client, collection: Collection, closed: str
) -> None:
    source = client.collection(collection.name, trust="off")
    subscription = source.subscribe(print)
    ends: dict[str, remora.Subscription | remora.Source | remora.Client]
    ends = {"subscription": subscription, "source": source, "client": client}
    ends.pop(closed).close()
    ends.clear()
    del subscription


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_subscription_in_a_reference_cycle_ends_when_the_cycle_is_collected(
    source: remora.Source, collection: Collection
) -> None:
    class Watcher:
        def __init__(self) -> None:
            self.subscription = source.subscribe(self.on_event)

        def on_event(self, _: remora.Event) -> None:
            pytest.fail("seen behind its end")

    watcher = weakref.ref(Watcher())
    gc.collect()
    assert watcher() is None
    publish(collection, "New")
    source.refresh(30)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_the_garbage_collector_ends_a_subscription_without_waiting_for_its_callback(source: remora.Source) -> None:
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


def test_closing_a_subscription_waits_for_a_running_callback(source: remora.Source) -> None:
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


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("end", ["close", "drop"])
def test_a_callback_can_end_its_own_subscription(source: remora.Source, collection: Collection, end: str) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    behind: queue.Queue[Any] = queue.Queue()
    kept: list[remora.Subscription] = []

    def once(event: remora.Event) -> None:
        if end == "close":
            kept.pop().close()
        kept.clear()
        gc.collect()
        seen.put(event)

    # The callback ends what `kept` holds, so nothing is seen before it is held: no `replay` here.
    kept.append(source.subscribe(once))
    with source.subscribe(behind.put):
        for text in ("one", "two"):
            publish(collection, text)
            source.refresh(30)
            behind.get(timeout=SECONDS)
    assert seen.get_nowait().new.at("banner", "/text") == "one"
    assert seen.empty()


def test_closing_a_source_ends_its_subscriptions(source: remora.Source, client: remora.Client) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(seen.put)
    source.close()
    source.close()
    for read in (lambda: source["banner"], source.snapshot, source.info, source.refresh, source.wait, source.reset):
        with pytest.raises(remora.ClosedError):
            read()
    with pytest.raises(remora.ClosedError):
        source.subscribe(print)
    assert source.get_int("banner", "/n", 7) == 7 and source.get_str("banner", "/text") is None
    assert seen.empty() and source.closed and not client.closed and "closed" in repr(source)
    subscription.close()


def test_calls_on_a_closed_client_raise_closed_error(client: remora.Client, source: remora.Source) -> None:
    client.close()
    client.close()
    with pytest.raises(remora.ClosedError):
        client.collection("demo")
    for read in (lambda: source["banner"], source.snapshot, source.info, source.refresh, source.wait):
        with pytest.raises(remora.ClosedError):
            read()
    assert source.get_bool("banner", "/on", default=False) is False and "closed" in repr(client)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_client_is_closed_when_its_last_reference_is_dropped(server: V2Server, collection: Collection) -> None:
    source = remora.Client.in_memory(server=server.url).collection(collection.name, trust="off")
    seen: queue.Queue[Any] = queue.Queue()
    subscription = source.subscribe(seen.put)
    source.refresh(30)  # The source keeps its client open, and the subscription its source.
    del source
    assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UPDATED
    thread = next(one for one in threading.enumerate() if one.name == "remora-dispatch")
    del subscription
    thread.join(SECONDS)
    assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_subscriptions_can_start_and_end_while_refreshes_are_running(
    source: remora.Source, collection: Collection
) -> None:
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
