# SPDX-License-Identifier: Apache-2.0
#
# Forks, spawned children and the end of the interpreter. Each test is a program of its own, which must end with 0 and
# without a word on stderr; -W error makes every warning one.
"""Processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import RunPython
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

BEGIN = """
import multiprocessing, os, queue, signal, sys, threading
import remora
signal.alarm(50)
SERVER, NAME = sys.argv[1:3]
told = queue.Queue()
def opened(storage=None, **options):
    client = remora.Client(storage, server=SERVER, **options)
    return client, client.collection(NAME, trust="off")
def ended(pid):
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""

ENDS = {
    "a subscription": "client, source = opened(); kept = source.subscribe(told.put, replay=True)",
    "a subscription that was told": "client, source = opened(); kept = source.subscribe(told.put); source.refresh(30); told.get()",
    "a dropped subscription": "client, source = opened(); source.subscribe(told.put, replay=True)",
    "a running request": "client, source = opened(); kept = source.refresh_async(lambda *end: told.put(end))",
    "a first subscriber": "client = remora.Client(None, server=SERVER)\n"
    "source = client.collection(NAME, trust='off', on_event=told.put)",
    "a closed client": "client, source = opened(); kept = source.subscribe(told.put); client.close()",
    "a manual client": "client, source = opened(dispatch='manual'); kept = source.subscribe(told.put, replay=True)",
    "a logger": "import logging; client, source = opened(logger=logging.getLogger())",
    "a cycle": "class Cycle: pass\n"
    "cycle = Cycle(); cycle.client, cycle.source = opened(); cycle.kept = cycle.source.subscribe(told.put); cycle.me = cycle",
    "a busy callback": "client, source = opened(); started = threading.Event()\n"
    "def busy(event):\n started.set()\n while True: sum(range(1000))\n"
    "kept = source.subscribe(busy, replay=True); started.wait()",
    "a callback that waits for ever": "client, source = opened(); started = threading.Event()\n"
    "def wait(event):\n started.set()\n threading.Event().wait()\n"
    "kept = source.subscribe(wait, replay=True); started.wait()",
    "sys.exit": "client, source = opened(); kept = source.subscribe(told.put, replay=True); sys.exit(0)",
    "sys.exit in a thread": "client, source = opened(); kept = source.subscribe(told.put, replay=True)\n"
    "thread = threading.Thread(target=sys.exit); thread.start()",
    "a refreshing daemon": "client, source = opened(); kept = source.subscribe(told.put)\n"
    "def refresh():\n while True: source.refresh(30)\n"
    "threading.Thread(target=refresh, daemon=True).start(); told.get()",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_program_that_simply_ends_does_so_in_silence(
    name: str, server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    done = run_python(BEGIN + ENDS[name], server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("how", ["refresh", "callback"])
def test_a_program_ends_in_the_middle_of_a_request(
    how: str, server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    server.set_fault("changeset", v2_faults.hang())
    program = {
        "refresh": "client, source = opened(); threading.Thread(target=source.refresh, daemon=True).start()",
        "callback": "client, source = opened(); started = threading.Event()\n"
        "def refresh(event):\n started.set()\n source.refresh()\n"
        "kept = source.subscribe(refresh, replay=True); started.wait()",
    }[how]
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_callbacks_come_until_the_programs_own_exit_handlers(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
import atexit
client, source = opened()
kept = source.subscribe(told.put)
@atexit.register
def last():
    source.refresh(30)
    print(told.get(timeout=20).outcome.name)
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "UPDATED\n", "")


def test_a_forked_child_reads_refreshes_and_is_told(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened()
source.refresh(30)
kept = source.subscribe(told.put)
snapshot = source.snapshot()
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        assert source["banner"] == snapshot["banner"] and source.get_str("banner", "/text") == "Hi"
        source.refresh(30)
        assert told.get(timeout=20).outcome is remora.Outcome.UNCHANGED
        assert [one.name for one in threading.enumerate() if one.name.startswith("remora")] == ["remora-dispatch"]
        os._exit(0)
    ended(pid)
source.refresh(30)
assert told.get(timeout=20).outcome is remora.Outcome.UNCHANGED
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_forked_child_without_subscriptions_has_no_thread(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened()
source.refresh(30)
pid = os.fork()
if pid == 0:
    assert threading.active_count() == 1 and source["banner"]
    source.refresh(30)
    kept = source.subscribe(told.put, replay=True)
    told.get(timeout=20)
    sys.exit(0)
ended(pid)
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_fork_in_a_thread_or_under_a_running_refresh_is_clean(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened()
kept = source.subscribe(told.put)
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
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_child_forked_inside_a_callback_may_exit(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened()
def fork(event):
    pid = os.fork()
    if pid == 0:
        assert source.snapshot() is not None
        os._exit(0)
    told.put(pid)
kept = source.subscribe(fork, replay=True)
ended(told.get(timeout=20))
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_forked_child_is_told_though_its_parent_had_not_read_an_update(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened(dispatch="manual")
kept = source.subscribe(told.put)
client.fileno()
source.refresh(30)
pid = os.fork()
if pid == 0:
    source.reset()
    source.refresh(30)
    assert client.dispatch() > 0
    causes = [told.get_nowait().cause for _ in range(told.qsize())]
    assert remora.Cause.REFRESHED in causes, causes
    os._exit(0)
ended(pid)
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_forked_childs_own_client_is_its_own(server: V2Server, collection: Collection, run_python: RunPython) -> None:
    program = """
client, source = opened(dispatch="manual")
kept = source.subscribe(told.put)
source.refresh(30)
client.fileno()
pid = os.fork()
if pid == 0:
    import select
    source.refresh(30)
    assert select.select([client.fileno()], [], [], 20)[0]
    assert client.dispatch() == 2
    assert [told.get_nowait().outcome for _ in range(2)] == [remora.Outcome.UPDATED, remora.Outcome.UNCHANGED]
    client.close()
    os._exit(0)
ended(pid)
assert client.dispatch() == 1 and told.get_nowait().outcome is remora.Outcome.UPDATED
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


FORKED = """
client, source = opened(STORAGE)
source.refresh(30)
kept = source.subscribe(told.put)
def work(results):
    source.refresh(30)
    event = told.get(timeout=20)
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
    kept = source.subscribe(told.put)
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
def test_multiprocessing_is_clean(
    program: str, server: V2Server, collection: Collection, run_python: RunPython, tmp_path: Path
) -> None:
    begin = BEGIN.replace("SERVER, NAME = sys.argv[1:3]", "SERVER, NAME, STORAGE = sys.argv[1:4]")
    done = run_python(begin + program, server.url, collection.name, tmp_path / "storage")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_child_of_a_callback_ends_with_that_callback(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
client, source = opened()
def fork(event):
    pid = os.fork()
    if pid:
        told.put(pid)
with source.subscribe(fork):
    source.refresh(30)
    ended(told.get(timeout=20))
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


IMPORTING = """
import os, signal, sys, threading
import remora
signal.alarm(50)
NAME, USE = sys.argv[1:3]
inside, forking, forked = threading.Event(), threading.Event(), threading.Event()
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == NAME and threading.current_thread() is not threading.main_thread():
            inside.set()
            forking.wait()
            forked.wait(1)  # A fork that waits for the import comes after it.
sys.meta_path.insert(0, Slow())
os.register_at_fork(before=forking.set, after_in_parent=forked.set)  # Runs before what remora has registered.
def use():
    exec(USE, {"remora": remora})
thread = threading.Thread(target=use)
thread.start()
inside.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(10)
    use()
    os._exit(0)
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""

USES = {
    "remora.bundle": "remora.Client(None).bundle(None, default=[]).namespaces()",
    "remora.settings": "remora.Client(None).settings('http://127.0.0.1:9/', fetch_at_open=False).tag('t')",
    "json": "remora.Client(None).set_context({'a': 1})",
    "remora.installer": "remora.Installer",
    "datetime": "remora.values.moment(1)",
}
"""What imports a module at its first use."""


@pytest.mark.parametrize("name", USES)
def test_a_child_that_is_forked_during_the_first_import_of_another_thread_goes_on(
    name: str, run_python: RunPython
) -> None:
    done = run_python(IMPORTING, name, USES[name])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
