# SPDX-License-Identifier: Apache-2.0
"""Progress of openings, and openings whose end comes by a callback."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS, Attached, RunPython, attachment_of
from remora.events import PromisedSource
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, V2Server
from Servers.waiting import wait_until

MODEL = bytes(range(256)) * 2000


def test_progress_is_told_on_the_thread_that_waits(stored: remora.Source, attached: Attached) -> None:
    attached.publish("main", MODEL)
    attached.publish("other", MODEL + b"other")
    told: list[tuple[int, int, threading.Thread]] = []

    def progress(received: int, total: int) -> None:
        told.append((received, total, threading.current_thread()))

    def read(key: str) -> None:
        content = attachment_of(stored, key).read(SECONDS, progress=progress)
        assert told[-1][:2] == (len(content), len(content)) and {total for _, total, _ in told} == {len(content)}
        assert [one[0] for one in told] == sorted(one[0] for one in told) and len(told) <= 102
        assert {one[2] for one in told} == {threading.current_thread()}
        told.clear()

    read("main")
    failures: list[BaseException] = []

    def read_other() -> None:
        try:
            read("other")
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=read_other)
    thread.start()
    thread.join(SECONDS)
    assert not failures


def test_what_is_stored_has_no_progress(stored: remora.Source, attached: Attached) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    attachment.read(SECONDS)
    told: list[object] = []
    assert attachment.read(0, progress=lambda *progress: told.append(progress)) == MODEL and told == []


@pytest.mark.parametrize("in_main", [True, False])
def test_a_progress_that_raises_is_reported_and_the_opening_goes_on(
    stored: remora.Source, attached: Attached, monkeypatch: pytest.MonkeyPatch, in_main: bool
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    unraisable: queue.Queue[Any] = queue.Queue()
    monkeypatch.setattr(sys, "unraisablehook", unraisable.put)
    contents: list[bytes] = []

    def read() -> None:
        contents.append(attachment.read(SECONDS, progress=lambda _: None))  # type: ignore[arg-type, misc]

    if in_main:
        read()
    else:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(SECONDS)
    assert contents == [MODEL] and isinstance(unraisable.get_nowait().exc_value, TypeError)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("in_main", [True, False])
def test_an_interruption_is_for_who_waits(
    stored: remora.Source, attached: Attached, error: type[BaseException], in_main: bool
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    told: list[object] = []
    ended: list[BaseException] = []

    def interrupt(*progress: int) -> None:
        told.append(progress)
        raise error("mine")

    def read() -> None:
        try:
            attachment.read(SECONDS, progress=interrupt)
        except BaseException as caught:
            ended.append(caught.with_traceback(None))

    if in_main:
        read()
    else:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join(SECONDS)
    assert [type(one) for one in ended] == [error] and len(told) == 1
    assert attachment.read(0) == MODEL  # It was finished.


CTRL_C = """
import os, signal, sys
import remora
signal.signal(signal.SIGINT, signal.default_int_handler)  # In the background of a shell it is ignored.
with remora.Client(None, server=sys.argv[1]) as client:
    source = client.collection(sys.argv[2], trust="off")
    source.refresh(30)
    attachment = source.record("model").attachment
    try:
        attachment.open(1, progress=lambda *_: os.kill(os.getpid(), signal.SIGINT))
    except KeyboardInterrupt:
        print("interrupted")
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        attachment.open(1, progress=print if sys.argv[3] == "progress" else None)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("progress", ["progress", ""])
def test_ctrl_c_takes_effect_when_an_opening_returns(
    attached: Attached, server: V2Server, run_python: RunPython, progress: str
) -> None:
    attached.publish("model", MODEL)
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100000))
    done = run_python(CTRL_C, server.url, attached.collection.name, progress)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("interrupted") == 2


def test_a_progress_may_close_the_client(stored: remora.Source, attached: Attached, server: V2Server) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    server.set_fault(ATTACHMENT, v2_faults.stall(at=300000))
    with pytest.raises(remora.ClosedError):
        attachment.open(SECONDS, progress=lambda *_: stored._client.close())  # type: ignore[attr-defined]


def test_an_asynchronous_opening_tells_its_progress_and_its_end(stored: remora.Source, attached: Attached) -> None:
    location = attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    told: queue.Queue[Any] = queue.Queue()
    threads: list[str] = []

    def progress(received: int, total: int) -> None:
        threads.append(threading.current_thread().name)
        told.put((received, total))

    attachment.open_async(lambda *end: told.put(end), progress=progress)
    ends = [told.get(timeout=SECONDS)]
    while isinstance(ends[-1][0], int):
        ends.append(told.get(timeout=SECONDS))
    opened, error = ends.pop()
    assert error is None and opened.read() == MODEL and ends[-1] == (len(MODEL), len(MODEL))
    assert set(threads) == {"remora-dispatch"}
    opened.close()
    stored.open_attachment_async(location, lambda *end: told.put(end), local=True)
    opened, error = told.get(timeout=SECONDS)
    assert error is None and opened.read() == MODEL


def test_an_asynchronous_opening_tells_what_went_wrong(
    stored: remora.Source, attached: Attached, server: V2Server
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    told: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.status(404), times=1)
    attachment.open_async(lambda *end: told.put(end))
    opened, error = told.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.HttpError)
    attachment.open_async(lambda *end: told.put(end), local=True)
    opened, error = told.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.NotFoundError)
    with pytest.raises(remora.TooLargeError):
        attachment.open_async(told.put, max_bytes=5)  # type: ignore[arg-type]
    with pytest.raises(remora.NotFoundError):
        stored.open_attachment_async("elsewhere", told.put)  # type: ignore[arg-type]
    for wrong in (None, 5, "print"):
        with pytest.raises(TypeError, match="callable"):
            attachment.open_async(wrong)  # type: ignore[arg-type]
    assert told.empty()


def test_an_asynchronous_opening_can_be_cancelled(stored: remora.Source, attached: Attached, server: V2Server) -> None:
    attached.publish("model", MODEL)
    attachment, before = attachment_of(stored, "model"), attached.requests
    told: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100), times=1)
    request = attachment.open_async(lambda *end: told.put(end))
    wait_until(lambda: attached.requests > before, "the request")
    request.cancel()
    opened, error = told.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.CancelledError)
    assert attachment.read(SECONDS) == MODEL


@pytest.mark.parametrize("what", ["source", "client"])
def test_closing_ends_the_callbacks_of_an_opening(
    stored: remora.Source, attached: Attached, server: V2Server, what: str
) -> None:
    attached.publish("model", MODEL)
    attachment, before = attachment_of(stored, "model"), attached.requests
    told: queue.Queue[Any] = queue.Queue()
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100))
    kept = attachment.open_async(lambda *end: told.put(end), progress=lambda *progress: told.put(progress))
    wait_until(lambda: attached.requests > before, "the request")
    (stored if what == "source" else stored._client).close()  # type: ignore[attr-defined]
    while not told.empty():  # Progress from before.
        assert isinstance(told.get()[0], int)
    del kept


def test_a_callback_of_an_opening_that_raises_harms_nothing(
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


def test_a_host_that_dispatches_itself_is_told_there(server: V2Server, attached: Attached) -> None:
    attached.publish("model", MODEL)
    with remora.Client(None, server=server.url, dispatch="manual") as client:
        source = client.collection(attached.collection.name, trust="off")
        told: list[Any] = []
        attachment_of(source, "model").open_async(lambda *end: told.append(end), progress=lambda *p: told.append(p))
        assert not told
        wait_until(lambda: client.dispatch() and told and not isinstance(told[-1][0], int), "the end")
        opened, error = told[-1]
        assert error is None and opened.read() == MODEL and told[-2] == (len(MODEL), len(MODEL))


def test_the_record_of_an_event_opens_its_attachment(stored: remora.Source, attached: Attached) -> None:
    told: queue.Queue[Any] = queue.Queue()

    def on_event(event: remora.Event) -> None:
        for change in event.changes:
            attachment = event.new.record(change.key).attachment
            told.put(None if attachment is None else attachment.read(SECONDS))

    with stored.subscribe(on_event, key="model"):
        attached.publish("model", MODEL)
        stored.refresh(SECONDS)
        assert told.get(timeout=SECONDS) == MODEL


def test_a_first_subscriber_may_open_an_attachment_at_once(
    server: V2Server, attached: Attached, stored: remora.Source, tmp_path: Any
) -> None:
    attached.publish("model", MODEL)
    stored.refresh(SECONDS)
    told: queue.Queue[Any] = queue.Queue()

    def on_event(event: remora.Event) -> None:
        try:
            attachment = event.new.record("model").attachment
            told.put(None if attachment is None else attachment.read(SECONDS))
        except remora.Error as error:
            told.put(error.with_traceback(None))

    for _ in range(20):
        with remora.Client(tmp_path / "storage", server=server.url) as client:
            source = client.collection(attached.collection.name, trust="off", on_event=on_event)
            assert told.get(timeout=SECONDS) == MODEL
            source.close()


def test_a_promised_source_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    promised: Any = PromisedSource()
    found: queue.Queue[Any] = queue.Queue()
    thread = threading.Thread(target=lambda: found.put(promised()))
    thread.start()
    promised.keep(lambda: "it")
    assert found.get(timeout=SECONDS) == "it" == promised()
    thread.join(SECONDS)
    monkeypatch.setattr("remora.events._PROMISE_SECONDS", 0.01)
    assert PromisedSource()() is None
