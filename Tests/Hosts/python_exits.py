#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python programs that subscribe and simply end, each in its own way.

usage: python_exits.py [RUNS]

Every run of exiting.py must exit with 0 and print nothing. Its ways are taken in turn, two
programs at a time. One server answers; another tells the program through its standard input
that a request has come, and never answers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, STDOUT

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from Hosts.environment import prepare  # noqa: E402

prepare()

from Hosts.exiting import COLLECTION, WAYS  # noqa: E402
from Servers.loopback import Ending, Request, Response  # noqa: E402
from Servers.v2_faults import Fault  # noqa: E402
from Servers.v2_server import CHANGESET, MONITOR, V2Server  # noqa: E402

AT_ONCE = 2
DEADLINE_SECONDS = 30
PROGRAM = Path(__file__).resolve().parent / "exiting.py"


def run(way: str, url: str, storage: Path) -> str:
    """One run; gives "" or what was wrong with its end."""
    with V2Server(None) as hanging:
        command = [sys.executable, "-W", "error", str(PROGRAM), way, url, hanging.url, str(storage)]
        program = subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=STDOUT)

        def hang(request: Request, honest: Response) -> Response:
            """Tells the program that its request has come, and says nothing more."""
            if program.stdin is not None:
                with suppress(OSError):  # It has ended, as it may.
                    os.write(program.stdin.fileno(), b"\n")
            return Response(silent=True, ending=Ending.HANG)

        for route in (CHANGESET, MONITOR):
            hanging.set_fault(route, Fault(respond=hang))
        try:
            return ending(way, program)
        finally:
            program.kill()
            program.wait()


def ending(way: str, program: subprocess.Popen[bytes]) -> str:
    """Waits for the end of a program, and judges it."""
    assert program.stdout is not None
    try:
        status = program.wait(DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        return f"{way}: no end within {DEADLINE_SECONDS} s"
    printed = program.stdout.read().decode(errors="replace")
    return f"{way}: status {status}\n{printed}" if status or printed else ""


def run_all(runs: int, directory: Path) -> list[str]:
    """The failures of so many runs."""
    ways = list(WAYS)
    with V2Server(None) as server, ThreadPoolExecutor(AT_ONCE) as threads:
        server.collection(COLLECTION).publish({"banner": {"n": 1}})

        def one(number: int) -> str:
            return run(ways[number % len(ways)], server.url, directory / str(number))

        return [end for end in threads.map(one, range(runs)) if end]


def main() -> int:
    if len(sys.argv) > 2:
        print(__doc__, file=sys.stderr)
        return 2
    runs = int(sys.argv[1]) if len(sys.argv) == 2 else 200
    with tempfile.TemporaryDirectory() as directory:
        failures = run_all(runs, Path(directory))
    for failure in failures:
        print(failure)
    print(f"{runs - len(failures)} of {runs} programs ended with 0 and no output, in {len(WAYS)} ways")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
