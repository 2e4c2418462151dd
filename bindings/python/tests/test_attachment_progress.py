# SPDX-License-Identifier: Apache-2.0
"""Progress of openings that wait."""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any

import pytest

import remora
from conftest import SECONDS, Attached, RunPython, attachment_of
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, V2Server

MODEL = bytes(range(256)) * 2000


def test_the_progress_of_a_download_is_reported_on_the_thread_that_opens_the_attachment(
    stored: remora.Source, attached: Attached
) -> None:
    attached.publish("main", MODEL)
    attached.publish("other", MODEL + b"other")
    seen: list[tuple[int, int, threading.Thread]] = []

    def progress(received: int, total: int) -> None:
        seen.append((received, total, threading.current_thread()))

    def read(key: str) -> None:
        content = attachment_of(stored, key).read(SECONDS, progress=progress)
        assert seen[-1][:2] == (len(content), len(content)) and {total for _, total, _ in seen} == {len(content)}
        assert [one[0] for one in seen] == sorted(one[0] for one in seen) and len(seen) <= 102
        assert {one[2] for one in seen} == {threading.current_thread()}
        seen.clear()

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


def test_opening_a_stored_attachment_reports_no_progress(stored: remora.Source, attached: Attached) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    attachment.read(SECONDS)
    seen: list[object] = []
    assert attachment.read(0, progress=lambda *progress: seen.append(progress)) == MODEL and seen == []


@pytest.mark.parametrize("in_main", [True, False])
def test_an_exception_in_a_progress_callback_is_reported_and_the_download_continues(
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
def test_keyboard_interrupt_or_system_exit_in_a_progress_callback_is_raised_in_the_waiting_thread(
    stored: remora.Source, attached: Attached, error: type[BaseException], in_main: bool
) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    seen: list[object] = []
    ended: list[BaseException] = []

    def interrupt(*progress: int) -> None:
        seen.append(progress)
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
    assert [type(one) for one in ended] == [error] and len(seen) == 1
    assert attachment.read(0) == MODEL  # It was finished.


CTRL_C = """
import os, signal, sys
import remora
signal.signal(signal.SIGINT, signal.default_int_handler)  # In the background of a shell it is ignored.
with remora.Client.in_memory(server=sys.argv[1]) as client:
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
def test_ctrl_c_raises_keyboard_interrupt_when_the_opening_of_an_attachment_returns(
    attached: Attached, server: V2Server, run_python: RunPython, progress: str
) -> None:
    attached.publish("model", MODEL)
    server.set_fault(ATTACHMENT, v2_faults.stall(at=100000))
    done = run_python(CTRL_C, server.url, attached.collection.name, progress)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.count("interrupted") == 2


def test_a_progress_callback_can_close_the_client(stored: remora.Source, attached: Attached, server: V2Server) -> None:
    attached.publish("model", MODEL)
    attachment = attachment_of(stored, "model")
    server.set_fault(ATTACHMENT, v2_faults.stall(at=300000))
    with pytest.raises(remora.ClosedError):
        attachment.open(SECONDS, progress=lambda *_: stored._client.close())  # type: ignore[attr-defined]
