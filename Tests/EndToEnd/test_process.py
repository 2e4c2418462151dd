# SPDX-License-Identifier: Apache-2.0
"""Tests of what the library takes from its process, and leaves in it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import remora

from EndToEnd.driver import REPOSITORY
from Servers.loopback import Ending, LoopbackServer, Request, Response

CYCLES = 500
OPENED_AND_CLOSED = """
import os, sys, remora

def use():
    with remora.Client(sys.argv[1], server=sys.argv[2], application_name="cycle") as client:
        client.settings(sys.argv[2] + "/", on_event=lambda event: None).refresh(timeout=30)

def state():
    status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
    return len(os.listdir("/proc/self/fd")), int(status["Threads"]), int(status["VmRSS"].split()[0])

for number in range(int(sys.argv[3])):
    use()
    if number == 99:
        before = state()
print(*before, *state())
"""
UNLOADED = """
import _ctypes, ctypes, os, sys
for _ in range(100):
    library = ctypes.CDLL(os.environ["REMORA_LIBRARY"])
    library.remora_version()
    _ctypes.dlclose(library._handle)
print("libremora" in open("/proc/self/maps").read())
"""
SIGNALLED = """
import signal, sys, remora
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
ticks = []
signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
with remora.Client.in_memory(server=sys.argv[1]) as client:
    source = client.settings(sys.argv[1] + "/", fetch_at_open=False, activation="immediate")
    results = set()
    for _ in range(100):
        try:
            results.add(source.refresh(timeout=30).name)
        except remora.NetworkError as error:
            results.add(error.name)
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(ticks) > 10, *sorted(results))
"""
OWN_CURL = """
import ctypes, sys, remora
curl = ctypes.CDLL("libcurl.so.4")

def refresh():
    with remora.Client.in_memory(server=sys.argv[1]) as client:
        client.settings(sys.argv[1] + "/", fetch_at_open=False).refresh(timeout=30)

for step in sys.argv[2:]:
    if step == "remora":
        refresh()
    elif step == "init":
        assert curl.curl_global_init(ctypes.c_long(3)) == 0
    else:
        curl.curl_global_cleanup()
print("done")
"""


def run(program: str, *arguments: object) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY / "bindings/python/src"),
        "REMORA_LIBRARY": os.environ.get("REMORA_LIBRARY", str(REPOSITORY / "build/libremora.so")),
    }
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout


def test_variables_and_files_for_other_programs_change_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[Request] = []

    def answer(request: Request) -> Response:
        requests.append(request)
        return Response(body=b'{"a": 1}')

    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".netrc").write_text("default login user password secret\n")
    with LoopbackServer(answer) as server, remora.Client.in_memory() as client:
        source = client.settings(f"{server.origin}/", fetch_at_open=False)
        source.refresh(timeout=30)
        source.refresh(timeout=30)
    assert len(requests) == 2
    assert [one.headers.keys() & {"authorization", "cookie", "proxy-authorization"} for one in requests] == [set()] * 2


def test_a_client_that_is_opened_and_closed_500_times_leaves_no_descriptor_and_no_thread(tmp_path: Path) -> None:
    with LoopbackServer(lambda _: Response(body=b'{"a": 1}')) as server:
        printed = run(OPENED_AND_CLOSED, tmp_path / "storage", server.origin, CYCLES)
    numbers = [int(word) for word in printed.split()]
    descriptors, threads, kib = (late - early for early, late in zip(numbers[:3], numbers[3:]))
    # A thread that ends may still be counted.
    assert descriptors == 0 and abs(threads) <= 1 and kib < 1024, printed


def test_neither_sigpipe_nor_a_timer_of_the_program_disturbs_requests_to_a_server_that_breaks_connections() -> None:
    numbers = itertools.count()

    def answer(_: Request) -> Response:
        body = b'{"a": %d}' % next(numbers)
        return Response(body=body, announced=len(body) + 1 if next(numbers) % 3 else None, ending=Ending.CLOSE)

    with LoopbackServer(answer) as server:
        assert run(SIGNALLED, server.origin) == "True REMORA_ERR_NETWORK UPDATED\n"


@pytest.mark.parametrize(
    "steps", ["remora", "init remora", "remora init remora", "init remora cleanup remora", "init cleanup remora"]
)
def test_a_program_may_initialise_and_clean_up_libcurl_itself(steps: str) -> None:
    with LoopbackServer(lambda _: Response(body=b'{"a": 1}')) as server:
        assert run(OWN_CURL, server.origin, *steps.split()) == "done\n"


def test_the_code_of_the_library_stays_in_memory_after_dlclose() -> None:
    assert run(UNLOADED) == "True\n"
