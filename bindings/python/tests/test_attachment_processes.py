# SPDX-License-Identifier: Apache-2.0
#
# Forks and ends of programs that have attachments open. Each test is a program of its own, as in test_processes.py.
"""Attachments and processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Attached, RunSilently
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT

MODEL = bytes(range(256)) * 2000

BEGIN = """
import os, queue, signal, sys, threading
import remora
signal.alarm(50)
SERVER, NAME, STORAGE = sys.argv[1:4]
MODEL = bytes(range(256)) * 2000
client = remora.Client(STORAGE or ":memory:", server=SERVER)
source = client.collection(NAME, trust="off")
source.refresh(30)
model, other = source.record("model").attachment, source.record("other").attachment
def ended(pid):
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""


@pytest.mark.parametrize("has_storage", [True, False])
def test_a_forked_child_can_read_open_attachments_and_open_other_attachments(
    attached: Attached, run_silently: RunSilently, tmp_path: Path, has_storage: bool
) -> None:
    attached.publish("model", MODEL)
    attached.publish("other", b"other")
    program = """
opened = model.open(30)
view = opened.data
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        assert opened.read() == MODEL == bytes(view)
        opened.close()
        assert view[-1] == 255 and other.read(30) == b"other" and model.read(30) == MODEL
        sys.exit(0)
    ended(pid)
assert opened.read() == MODEL and other.read(30) == b"other"
"""
    storage = tmp_path / "storage" if has_storage else ""
    run_silently(program, storage, begin=BEGIN)


def test_a_download_that_is_running_at_a_fork_continues_in_the_parent_only(
    attached: Attached, run_silently: RunSilently, tmp_path: Path
) -> None:
    attached.publish("model", MODEL)
    attached.publish("other", b"other")
    attached.server.set_fault(ATTACHMENT, v2_faults.stall(at=100000), times=1)
    program = """
seen, begun = queue.Queue(), threading.Event()
request = model.open_async(lambda *end: seen.put(end), progress=lambda *_: begun.set())
assert begun.wait(20)
pid = os.fork()
if pid == 0:
    assert other.read(30) == b"other"
    os._exit(0)
ended(pid)
request.cancel()
assert isinstance(seen.get(timeout=20)[1], remora.CancelledError) and model.read(30) == MODEL
"""
    run_silently(program, tmp_path / "storage", begin=BEGIN)


ENDS = {
    "an open attachment": "kept = model.open(30)",
    "a view": "kept = model.open(30).data",
    "a running opening": "kept = model.open_async(print, progress=lambda *_: None)",
    "a thread that opens": "progress = {'progress': lambda *_: None}\n"
    "threading.Thread(target=model.open, kwargs=progress, daemon=True).start()",
    "a cycle": "class Cycle: pass\ncycle = Cycle(); cycle.me, cycle.opened, cycle.model = cycle, model.open(30), model",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_program_that_exits_with_an_open_attachment_prints_nothing(
    name: str, attached: Attached, run_silently: RunSilently, tmp_path: Path
) -> None:
    attached.publish("model", MODEL)
    attached.publish("other", b"other")
    if "open(30)" not in ENDS[name]:
        attached.server.set_fault(ATTACHMENT, v2_faults.stall(at=100000))
    run_silently(ENDS[name], tmp_path / "storage", begin=BEGIN)
