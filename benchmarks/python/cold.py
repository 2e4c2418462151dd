# SPDX-License-Identifier: Apache-2.0
"""Measures cold starts of whole Python processes that read one of 10,000 settings, all contenders in turn.

usage: cold.py SCRATCH_DIR

Prints `<contender>.python.process` in nanoseconds, and `<contender>.python.import` of processes that only import.
"""

from __future__ import annotations

import http.server
import os
import sys
import threading
import time
from pathlib import Path
from statistics import median

import remora
import workload

REPETITIONS = 7
HERE = Path(__file__).resolve().parent
KEY = next(key for key in workload.READS if workload.SETTINGS[key])


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request with the settings."""

    body = workload.changeset()

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *_: object) -> None:
        """Prints nothing, because standard output and error have the results only."""


def fill_cache(storage: Path) -> str:
    """Fetches the settings once. Returns the server's URL, which identifies the cache."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with remora.Client(storage, server=url) as client:
        client.collection("settings", trust="off").refresh()
    server.shutdown()
    return url


def commands(scratch: Path) -> dict[str, list[str]]:
    """Returns the command of each number."""
    url = fill_cache(scratch / "remora")
    flat = scratch / "dict.json"
    flat.write_bytes(workload.flat())
    own = {
        "bare": ["cold_bare.py"],
        "dict": ["cold_dict.py", str(flat), KEY],
        "remora": ["cold_remora.py", str(scratch / "remora"), url, KEY],
    }
    others = {name: ["cold_peer.py", name, str(path), KEY] for name, path in workload.write_documents(scratch).items()}
    imports = {"remora": "import remora", "modules": "import json, threading, ctypes"}
    return {
        **{
            f"{name}.python.process": [sys.executable, str(HERE / words[0]), *words[1:]]
            for name, words in {**own, **others}.items()
        },
        **{f"{name}.python.import": [sys.executable, "-c", program] for name, program in imports.items()},
    }


def start(command: list[str]) -> int:
    """Runs one process and returns its nanoseconds."""
    begin = time.perf_counter_ns()
    status = os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)[1]
    end = time.perf_counter_ns()
    if status != 0:
        sys.exit(f"{command[1]} failed")
    return end - begin


def main() -> None:
    started = commands(Path(sys.argv[1]))
    times: dict[str, list[int]] = {name: [] for name in started}
    for repetition in range(-1, REPETITIONS):
        for name, command in started.items():
            spent = start(command)
            if repetition >= 0:  # The first run fills the page cache and compiles.
                times[name].append(spent)
    for name, spents in times.items():
        print(name, median(spents))


if __name__ == "__main__":
    main()
