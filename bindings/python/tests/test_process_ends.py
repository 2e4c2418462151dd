# SPDX-License-Identifier: Apache-2.0
#
# Each test is a program of its own, which must end with 0 and without a word on stderr; -W error makes every warning
# one.
"""The end of the interpreter."""

from __future__ import annotations

import pytest

from conftest import RunPython, RunSilently
from programs import BEGIN
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

ENDS = {
    "a subscription": "client, source = opened(); kept = source.subscribe(seen.put, replay=True)",
    "a subscription that was seen": "client, source = opened(); kept = source.subscribe(seen.put); source.refresh(30); seen.get()",
    "a dropped subscription": "import warnings; warnings.simplefilter('ignore')\n"
    "client, source = opened(); source.subscribe(seen.put, replay=True)",
    "a running request": "client, source = opened(); kept = source.refresh_async(lambda *end: seen.put(end))",
    "a first subscriber": "client = remora.Client.in_memory(server=SERVER)\n"
    "source = client.collection(NAME, trust='off', on_event=seen.put)",
    "a closed client": "client, source = opened(); kept = source.subscribe(seen.put); client.close()",
    "a manual client": "client, source = opened(dispatch='manual'); kept = source.subscribe(seen.put, replay=True)",
    "a logger": "import logging; client, source = opened(application_name='tests', logger=logging.getLogger())",
    "a cycle": "class Cycle: pass\n"
    "cycle = Cycle(); cycle.client, cycle.source = opened(); cycle.kept = cycle.source.subscribe(seen.put); cycle.me = cycle",
    "a busy callback": "client, source = opened(); started = threading.Event()\n"
    "def busy(event):\n started.set()\n while True: sum(range(1000))\n"
    "kept = source.subscribe(busy, replay=True); started.wait()",
    "a callback that waits for ever": "client, source = opened(); started = threading.Event()\n"
    "def wait(event):\n started.set()\n threading.Event().wait()\n"
    "kept = source.subscribe(wait, replay=True); started.wait()",
    "sys.exit": "client, source = opened(); kept = source.subscribe(seen.put, replay=True); sys.exit(0)",
    "sys.exit in a thread": "client, source = opened(); kept = source.subscribe(seen.put, replay=True)\n"
    "thread = threading.Thread(target=sys.exit); thread.start()",
    "a refreshing daemon": "client, source = opened(); kept = source.subscribe(seen.put)\n"
    "def refresh():\n while True: source.refresh(30)\n"
    "threading.Thread(target=refresh, daemon=True).start(); seen.get()",
    "a syncing daemon": "client, source = opened(); begun = threading.Event()\n"
    "def sync():\n while True: client.sync(30); begun.set()\n"
    "threading.Thread(target=sync, daemon=True).start(); begun.wait()",
    "a listing daemon": "client, source = opened(); begun = threading.Event(); source.overrides.set('added', 1)\n"
    "def walk():\n while True: client.sources(); dict(source.overrides); begun.set()\n"
    "threading.Thread(target=walk, daemon=True).start(); begun.wait()",
    "a subscribing daemon": "client, source = opened(); begun = threading.Event()\n"
    "def subscribe():\n while True: source.subscribe(print).close(); begun.set()\n"
    "threading.Thread(target=subscribe, daemon=True).start(); begun.wait()",
}


@pytest.mark.parametrize("name", ENDS)
def test_a_program_that_exits_without_closing_its_client_prints_nothing(name: str, run_silently: RunSilently) -> None:
    run_silently(ENDS[name])


def test_a_request_that_lives_longer_than_the_modules_of_the_package_is_deleted_without_a_message(
    run_silently: RunSilently,
) -> None:
    # The hook keeps the variables of the program until the interpreter has cleared the modules.
    program = "import sys, remora\nsys.unraisablehook = lambda report: print(report)\n"
    program += "client = remora.Client.in_memory(server=sys.argv[1])\nkept = client.sync_async(lambda report: None)"
    run_silently(program, begin="")


@pytest.mark.parametrize("how", ["refresh", "callback", "sync"])
def test_a_program_can_exit_while_a_request_is_running(how: str, server: V2Server, run_silently: RunSilently) -> None:
    server.set_fault("monitor" if how == "sync" else "changeset", v2_faults.hang())
    program = {
        "refresh": "client, source = opened(); threading.Thread(target=source.refresh, daemon=True).start()",
        "sync": "client, source = opened(); threading.Thread(target=client.sync, daemon=True).start()",
        "callback": "client, source = opened(); started = threading.Event()\n"
        "def refresh(event):\n started.set()\n source.refresh()\n"
        "kept = source.subscribe(refresh, replay=True); started.wait()",
    }[how]
    run_silently(program)


def test_callbacks_are_called_until_the_exit_handlers_of_the_program_run(
    server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = """
import atexit
client, source = opened()
kept = source.subscribe(seen.put)
@atexit.register
def last():
    source.refresh(30)
    print(seen.get(timeout=20).outcome.name)
"""
    done = run_python(BEGIN + program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "UPDATED\n", "")
