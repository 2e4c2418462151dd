# SPDX-License-Identifier: Apache-2.0
"""Measures refreshes of a whole collection of about 1 MB and 10 MB, by Remora and by kinto-http in turn.

The server is another process on the loopback interface. It sends the same bytes to both.

usage: refresh.py SCRATCH_DIR

Prints `<contender>.python.<size>.{cpu,wall}` in nanoseconds.
"""

from __future__ import annotations

import http.server
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import remora

REPETITIONS = 7
SIZES = {"1mb": 10_000, "10mb": 105_000}
"""The number of records of each collection."""
TIMESTAMP = 1_700_000_000_000


def key(number: int) -> str:
    return f"feature.section{number % 97:03}.setting{number:06}"


def changeset(count: int) -> bytes:
    records = [{"id": key(number), "last_modified": TIMESTAMP, "v": number % 3 == 0} for number in range(count)]
    return json.dumps({"metadata": {}, "timestamp": TIMESTAMP, "changes": records}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends the collection that the path names."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bodies: dict[str, bytes] = {}

    def do_GET(self) -> None:
        body = next(body for name, body in self.bodies.items() if f"/collections/{name}/changeset" in self.path)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:
        """Prints nothing, because standard output and error have the results only."""


def start_server() -> tuple[int, str]:
    """Starts the server process. Returns its ID and its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}/v2"
    process = os.fork()
    if process == 0:
        Handler.bodies = {name: changeset(count) for name, count in SIZES.items()}
        server.serve_forever()
    server.server_close()
    return process, url


class Remora:
    """Refreshes an empty source, which requests the whole collection."""

    def __init__(self, storage: Path | str, url: str, name: str) -> None:
        self.client = remora.Client(storage, server=url)
        self.source = self.client.collection(name, trust="off")

    def prepare(self) -> None:
        self.source.reset()

    def refresh(self) -> object:
        return self.source.refresh()

    def values(self) -> dict[str, bool]:
        return {name: record["v"] for name, record in self.source.snapshot().items()}


class Kinto:
    def __init__(self, url: str, name: str) -> None:
        import kinto_http

        self.client = kinto_http.Client(server_url=url, bucket="main", collection=name)
        self.records: list[dict[str, object]] = []

    def prepare(self) -> None:
        self.records = []

    def refresh(self) -> object:
        self.records = self.client.get_changeset()["changes"]
        return self.records

    def values(self) -> dict[str, object]:
        return {str(record["id"]): record["v"] for record in self.records}


def timed(run: Callable[[], object]) -> tuple[int, int]:
    """Returns the processor time of this process and the wall time, in nanoseconds."""
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    run()
    return time.process_time_ns() - cpu, time.perf_counter_ns() - wall


def measure(scratch: Path, url: str, name: str, count: int) -> None:
    contenders: dict[str, Remora | Kinto] = {
        "remora.memory": Remora(":memory:", url, name),
        "remora.disk": Remora(scratch / name, url, name),
    }
    if find_spec("kinto_http"):
        contenders["kinto"] = Kinto(url, name)
    expected = {key(number): number % 3 == 0 for number in range(count)}
    times: dict[str, list[tuple[int, int]]] = {row: [] for row in contenders}
    for repetition in range(-1, REPETITIONS):
        for row, contender in contenders.items():
            contender.prepare()
            spent = timed(contender.refresh)
            if repetition >= 0:  # The first run opens the connection.
                times[row].append(spent)
            elif contender.values() != expected:
                sys.exit(f"{row} does not have the records")
    for row, spents in times.items():
        owner, _, storage = row.partition(".")
        prefix = ".".join(filter(None, (owner, "python", storage, name)))
        print(f"{prefix}.cpu {median(cpu for cpu, _ in spents)}")
        print(f"{prefix}.wall {median(wall for _, wall in spents)}")


def main() -> None:
    server, url = start_server()
    try:
        for name, count in SIZES.items():
            measure(Path(sys.argv[1]), url, name, count)
    finally:
        os.kill(server, signal.SIGKILL)
        os.waitpid(server, 0)


if __name__ == "__main__":
    main()
