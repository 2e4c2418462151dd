# SPDX-License-Identifier: Apache-2.0
"""Openings that end with a callback, and openings inside callbacks."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS, Attached, attachment_of
from remora.events import PromisedSource
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, V2Server
from Servers.waiting import wait_until

MODEL = bytes(range(256)) * 2000


def test_an_asynchronous_opening_of_an_attachment_reports_its_progress_and_completion(
    stored: remora.Source, attached: Attached
) -> None:
    location = attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    seen: queue.Queue[Any] = queue.Queue()
    threads: list[str] = []

    def progress(received: int, total: int) -> None:
        threads.append(threading.current_thread().name)
        seen.put((received, total))

    attachment.open_async(lambda *end: seen.put(end), progress=progress)
    ends = [seen.get(timeout=SECONDS)]
    while isinstance(ends[-1][0], int):
        ends.append(seen.get(timeout=SECONDS))
    opened, error = ends.pop()
    assert error is None and opened.read() == MODEL and ends[-1] == (len(MODEL), len(MODEL))
    assert set(threads) == {"remora-dispatch"}
    opened.close()
    stored.open_attachment_async(location, lambda *end: seen.put(end), local=True)
    opened, error = seen.get(timeout=SECONDS)
    assert error is None and opened.read() == MODEL


def test_an_asynchronous_opening_of_an_attachment_reports_its_error(
    stored: remora.Source, attached: Attached, server: V2Server
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    seen: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.status(404), times=1)
    attachment.open_async(lambda *end: seen.put(end))
    opened, error = seen.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.HttpError)
    attachment.open_async(lambda *end: seen.put(end), local=True)
    opened, error = seen.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.NotFoundError)
    with pytest.raises(remora.TooLargeError):
        attachment.open_async(seen.put, max_bytes=5)  # type: ignore[arg-type]
    with pytest.raises(remora.NotFoundError):
        stored.open_attachment_async("elsewhere", seen.put)  # type: ignore[arg-type]
    for wrong in (None, 5, "print"):
        with pytest.raises(TypeError, match="callable"):
            attachment.open_async(wrong)  # type: ignore[arg-type]
    assert seen.empty()


def test_an_asynchronous_opening_of_an_attachment_can_be_cancelled(
    stored: remora.Source, attached: Attached, server: V2Server
) -> None:
    attached.publish("model", MODEL)
    attachment, before = attachment_of(stored, "model"), attached.requests
    seen: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100), times=1)
    request = attachment.open_async(lambda *end: seen.put(end))
    wait_until(lambda: attached.requests > before, "the request")
    request.cancel()
    opened, error = seen.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.CancelledError)
    assert attachment.read(SECONDS) == MODEL


@pytest.mark.parametrize("what", ["source", "client"])
def test_no_callback_of_an_opening_is_called_after_its_source_or_client_was_closed(
    stored: remora.Source, attached: Attached, server: V2Server, what: str
) -> None:
    attached.publish("model", MODEL)
    attachment, before = attachment_of(stored, "model"), attached.requests
    seen: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100))
    kept = attachment.open_async(lambda *end: seen.put(end), progress=lambda *progress: seen.put(progress))
    wait_until(lambda: attached.requests > before, "the request")
    (stored if what == "source" else stored._client).close()  # type: ignore[attr-defined]
    while not seen.empty():  # Progress from before.
        assert isinstance(seen.get()[0], int)
    del kept


def test_an_exception_in_a_callback_of_an_attachment_opening_is_reported_and_affects_nothing_else(
    stored: remora.Source, attached: Attached, monkeypatch: pytest.MonkeyPatch
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)

    def raise_at_the_end(*_: object) -> None:
        raise ValueError("mine")

    attachment.open_async(raise_at_the_end, progress=lambda: None)  # type: ignore[arg-type, misc]
    errors = [unraisable.get(timeout=SECONDS).exc_value]
    while isinstance(errors[-1], TypeError):
        errors.append(unraisable.get(timeout=SECONDS).exc_value)
    assert len(errors) > 1 and str(errors[-1]) == "mine"
    assert attachment.read(SECONDS) == MODEL


def test_with_manual_dispatch_the_callbacks_of_an_attachment_opening_run_inside_dispatch(
    server: V2Server, attached: Attached
) -> None:
    attached.publish("model", MODEL)
    with remora.Client.in_memory(server=server.url, dispatch="manual") as client:
        source = client.collection(attached.collection.name, trust="off")
        seen: list[Any] = []
        attachment_of(source, "model").open_async(lambda *end: seen.append(end), progress=lambda *p: seen.append(p))
        assert not seen
        wait_until(lambda: client.dispatch() and seen and not isinstance(seen[-1][0], int), "the end")
        opened, error = seen[-1]
        assert error is None and opened.read() == MODEL and seen[-2] == (len(MODEL), len(MODEL))


def test_an_event_callback_can_open_the_attachment_of_a_changed_record(
    stored: remora.Source, attached: Attached
) -> None:
    seen: queue.Queue[Any] = queue.Queue()

    def on_event(event: remora.Event) -> None:
        for change in event.changes:
            attachment = event.new.record(change.key).attachment
            seen.put(None if attachment is None else attachment.read(SECONDS))

    with stored.subscribe(on_event, key="model"):
        attached.publish("model", MODEL)
        stored.refresh(SECONDS)
        assert seen.get(timeout=SECONDS) == MODEL


def test_the_on_event_callback_can_open_an_attachment_during_the_first_event(
    server: V2Server, attached: Attached, stored: remora.Source, tmp_path: Any
) -> None:
    attached.publish("model", MODEL)
    stored.refresh(SECONDS)
    seen: queue.Queue[Any] = queue.Queue()

    def on_event(event: remora.Event) -> None:
        try:
            attachment = event.new.record("model").attachment
            seen.put(None if attachment is None else attachment.read(SECONDS))
        except remora.Error as error:
            seen.put(error.with_traceback(None))

    for _ in range(20):
        with remora.Client(tmp_path / "storage", server=server.url) as client:
            source = client.collection(attached.collection.name, trust="off", on_event=on_event)
            assert seen.get(timeout=SECONDS) == MODEL
            source.close()


def test_a_callback_that_needs_its_source_waits_until_the_source_has_been_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    promised: Any = PromisedSource()
    found: queue.Queue[Any] = queue.Queue()
    thread = threading.Thread(target=lambda: found.put(promised()))
    thread.start()
    promised.keep(lambda: "it")
    assert found.get(timeout=SECONDS) == "it" == promised()
    thread.join(SECONDS)
    monkeypatch.setattr("remora.events._PROMISE_SECONDS", 0.01)
    assert PromisedSource()() is None
