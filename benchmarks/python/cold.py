# SPDX-License-Identifier: Apache-2.0
"""Cold starts of whole Python processes until the first of 10,000 settings and the end, everybody in turn.

usage: cold.py SCRATCH_DIR

Prints `<contender>.python.process` in nanoseconds.
"""

from __future__ import annotations

import http.server
import os
import sys
import threading
import time
from importlib.util import find_spec
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
        """The results are all that is printed."""


def fill_cache(storage: Path) -> str:
    """Fetches the settings once; gives the server's URL, by which the cache is found without the server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with remora.Client(storage, server=url) as client:
        client.collection("settings", trust="off").refresh()
    server.shutdown()
    return url


def commands(scratch: Path) -> dict[str, list[str]]:
    """Who starts, and with what."""
    url = fill_cache(scratch / "remora")
    found = {"bare": [], "remora": [str(scratch / "remora"), url, KEY]}
    for name, document, module in (
        ("dict", workload.flat, "json"),
        ("eppo", workload.eppo, "eppo_client"),
        ("configcat", workload.configcat, "configcatclient"),
    ):
        if find_spec(module):
            path = scratch / f"{name}.json"
            path.write_bytes(document())
            found[name] = [str(path), KEY]
    return {name: [sys.executable, str(HERE / f"cold_{name}.py"), *words] for name, words in found.items()}


def start(command: list[str]) -> int:
    """Nanoseconds of one process."""
    begin = time.perf_counter_ns()
    status = os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)[1]
    end = time.perf_counter_ns()
    if status != 0:
        sys.exit(f"{command[1]} failed")
    return end - begin


def main() -> None:
    everybody = commands(Path(sys.argv[1]))
    times: dict[str, list[int]] = {name: [] for name in everybody}
    for repetition in range(-1, REPETITIONS):
        for name, command in everybody.items():
            spent = start(command)
            if repetition >= 0:  # The one before warms the page cache and compiles.
                times[name].append(spent)
    for name, spents in times.items():
        print(f"{name}.python.process {median(spents)}")


if __name__ == "__main__":
    main()
