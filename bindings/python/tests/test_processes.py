# SPDX-License-Identifier: Apache-2.0
#
# Each test is a program of its own, which must end with 0 and without a word on stderr; -W error makes every warning
# one.
"""Forked and spawned children."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunSilently
from programs import BEGIN


def test_a_forked_child_can_read_and_refresh_and_is_notified_of_updates(run_silently: RunSilently) -> None:
    program = """
client, source = opened()
source.refresh(30)
kept = source.subscribe(seen.put)
snapshot = source.snapshot()
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        assert source["banner"] == snapshot["banner"] and source.get_str("banner", "/text") == "Hi"
        source.refresh(30)
        assert seen.get(timeout=20).outcome is remora.Outcome.UNCHANGED
        assert [one.name for one in threading.enumerate() if one.name.startswith("remora")] == ["remora-dispatch"]
        os._exit(0)
    ended(pid)
source.refresh(30)
assert seen.get(timeout=20).outcome is remora.Outcome.UNCHANGED
"""
    run_silently(program)


def test_a_forked_child_without_subscriptions_has_no_thread(run_silently: RunSilently) -> None:
    program = """
client, source = opened()
source.refresh(30)
pid = os.fork()
if pid == 0:
    assert threading.active_count() == 1 and source["banner"]
    source.refresh(30)
    kept = source.subscribe(seen.put, replay=True)
    seen.get(timeout=20)
    sys.exit(0)
ended(pid)
"""
    run_silently(program)


def test_a_fork_in_a_thread_or_during_a_refresh_causes_no_error(run_silently: RunSilently) -> None:
    program = """
client, source = opened()
kept = source.subscribe(seen.put)
stop = threading.Event()
def refresh():
    while not stop.is_set():
        source.refresh(30)
def fork():
    for _ in range(30):
        pid = os.fork()
        if pid == 0:
            source.refresh(30)
            assert source["banner"]
            client.close()
            os._exit(0)
        ended(pid)
refresher, forker = threading.Thread(target=refresh), threading.Thread(target=fork)
refresher.start(); forker.start(); forker.join(); stop.set(); refresher.join()
"""
    run_silently(program)


def test_a_child_that_is_forked_inside_a_callback_can_exit(run_silently: RunSilently) -> None:
    program = """
client, source = opened()
def fork(event):
    pid = os.fork()
    if pid == 0:
        assert source.snapshot() is not None
        os._exit(0)
    seen.put(pid)
kept = source.subscribe(fork, replay=True)
ended(seen.get(timeout=20))
"""
    run_silently(program)


def test_a_forked_child_can_dispatch_events_while_its_parent_has_undelivered_events(run_silently: RunSilently) -> None:
    program = """
client, source = opened(dispatch="manual")
kept = source.subscribe(seen.put)
client.fileno()
source.refresh(30)
pid = os.fork()
if pid == 0:
    source.reset()
    source.refresh(30)
    assert client.dispatch() > 0
    causes = [seen.get_nowait().cause for _ in range(seen.qsize())]
    assert remora.Cause.REFRESHED in causes, causes
    os._exit(0)
ended(pid)
"""
    run_silently(program)


def test_a_client_that_a_forked_child_creates_is_independent_of_its_parent(run_silently: RunSilently) -> None:
    program = """
client, source = opened(dispatch="manual")
kept = source.subscribe(seen.put)
source.refresh(30)
client.fileno()
pid = os.fork()
if pid == 0:
    import select
    source.refresh(30)
    assert select.select([client.fileno()], [], [], 20)[0]
    assert client.dispatch() == 2
    assert [seen.get_nowait().outcome for _ in range(2)] == [remora.Outcome.UPDATED, remora.Outcome.UNCHANGED]
    client.close()
    os._exit(0)
ended(pid)
assert client.dispatch() == 1 and seen.get_nowait().outcome is remora.Outcome.UPDATED
"""
    run_silently(program)


FORKED = """
client, source = opened(STORAGE)
source.refresh(30)
kept = source.subscribe(seen.put)
def work(results):
    source.refresh(30)
    event = seen.get(timeout=20)
    results.put((os.getpid(), event.outcome.name, source.get_str("banner", "/text")))
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=work, args=(results,)) for _ in range(4)]
    for child in children: child.start()
    seen = [results.get(timeout=40) for _ in children]
    for child in children: child.join()
    assert {child.exitcode for child in children} == {0}
    assert {one[1:] for one in seen} == {("UNCHANGED", "Hi")} and len({one[0] for one in seen}) == 4
"""

SPAWNED = """
def work(results, server, name, storage):
    with remora.Client(storage, server=server) as client:
        source = client.collection(name, trust="off")
        results.put((source.snapshot().origin.name, source.refresh(30).name, source.get_str("banner", "/text")))
if __name__ == "__main__":
    client, source = opened(STORAGE)
    source.refresh(30)
    kept = source.subscribe(seen.put)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    try:
        context.Process(target=work, args=(client,)).start()
    except TypeError as error:
        assert "cannot be pickled" in str(error)
    else:
        raise AssertionError("a client was pickled")
    children = [context.Process(target=work, args=(results, SERVER, NAME, STORAGE)) for _ in range(2)]
    for child in children: child.start()
    seen = {results.get(timeout=40) for _ in children}
    for child in children: child.join()
    assert {child.exitcode for child in children} == {0} and seen == {("CACHED", "UNCHANGED", "Hi")}, seen
"""


@pytest.mark.parametrize("program", [FORKED, SPAWNED], ids=["fork", "spawn"])
def test_the_package_can_be_used_in_processes_of_multiprocessing(
    program: str, run_silently: RunSilently, tmp_path: Path
) -> None:
    begin = BEGIN.replace("SERVER, NAME = sys.argv[1:3]", "SERVER, NAME, STORAGE = sys.argv[1:4]")
    run_silently(program, tmp_path / "storage", begin=begin)


def test_a_child_that_is_forked_inside_a_callback_exits_when_that_callback_returns(run_silently: RunSilently) -> None:
    program = """
client, source = opened()
def fork(event):
    pid = os.fork()
    if pid:
        seen.put(pid)
with source.subscribe(fork):
    source.refresh(30)
    ended(seen.get(timeout=20))
"""
    run_silently(program)


@pytest.mark.parametrize("is_forked", [True, False])
def test_a_daemon_that_closes_all_descriptors_is_still_notified_of_changes(
    is_forked: bool, run_silently: RunSilently
) -> None:
    program = """
import tempfile
tempfile.tempdir = os.path.dirname(__file__)
client, source = opened()
kept = source.subscribe(seen.put)
source.overrides.set("added", 0)
seen.get(timeout=20)
def daemon():
    os.closerange(3, 1024)
    others = [tempfile.mkstemp()[0] for _ in range(20)]
    for number in range(1, 4):
        source.overrides.set("added", number)
        event = seen.get(timeout=20)
        assert event.new["added"] == number
    another = source.subscribe(seen.put)
    another.close()
    client.close()
    assert [os.fstat(other).st_size for other in others] == [0] * 20
if sys.argv[3] == "False":
    daemon()
    os._exit(0)
pid = os.fork()
if pid == 0:
    os.setsid()
    daemon()
    os._exit(0)
ended(pid)
"""
    run_silently(program, is_forked)


def test_a_child_that_is_forked_from_a_program_with_gevent_prints_nothing(run_silently: RunSilently) -> None:
    pytest.importorskip("gevent")
    program = """
client, source = opened()
kept = source.subscribe(seen.put)
source.overrides.set("added", 1)
assert seen.get(timeout=20).new["added"] == 1
pid = os.fork()
if pid == 0:
    source.overrides.set("added", 2)
    assert seen.get(timeout=20).new["added"] == 2
    sys.exit(0)
ended(pid)
"""
    run_silently(program, begin="from gevent import monkey\nmonkey.patch_all()\n" + BEGIN)
