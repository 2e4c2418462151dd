#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host that forks while it refreshes, and children that read, refresh and end.

usage: fork_refresh.py DIRECTORY [CHILDREN]

DIRECTORY holds fork_refresh, which watches over its children itself. This script is its
server: every request gets a newer version. It runs once with a storage directory, which
parent and children share, and once in memory.
"""

import http.server
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

DEADLINE_SECONDS = 280


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers a changeset whose one record is newer each time."""

    protocol_version = "HTTP/1.1"
    versions = itertools.count(1000)

    def do_GET(self) -> None:
        version = next(self.versions)
        changeset = {
            "metadata": {"bucket": "main", "id": "forked"},
            "timestamp": version,
            "changes": [{"id": "counter", "last_modified": version}],
        }
        body = json.dumps(changeset).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Says nothing: the program under test reports."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *arguments: object) -> None:
        """A child that ends with its connection open is part of the test."""


def run(program: pathlib.Path, url: str, storage: str, children: int) -> bool:
    try:
        ended = subprocess.run([program, url, storage, str(children)], timeout=DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"{storage}: no end within {DEADLINE_SECONDS} s")
        return False
    if ended.returncode:
        print(f"{storage}: status {ended.returncode}")
    return ended.returncode == 0


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    program = pathlib.Path(sys.argv[1]) / "fork_refresh"
    children = int(sys.argv[2]) if len(sys.argv) == 3 else 300
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as directory:
        shared = run(program, url, directory, children)
    alone = run(program, url, ":memory:", children)
    return 0 if shared and alone else 1


if __name__ == "__main__":
    sys.exit(main())
