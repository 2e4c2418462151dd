# SPDX-License-Identifier: Apache-2.0
"""Counts the requests of 200 clients behind a cache: nginx on the loopback interface, in front of one origin.

The clients have separate storage directories, as on separate machines. The origin permits caching for the interval of
the clients. The program fails if one URL is requested from the origin more than once in an interval.

usage: fleet_cache.py SCRATCH_DIR

Prints `<name> <number>` lines.
"""

from __future__ import annotations

import http.server
import json
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import remora

CLIENTS = 200
INTERVAL_SECONDS = 3
ROUNDS = 6
"""The number of refreshes of each client, on average."""
LIMIT_SECONDS = 90

CONFIGURATION = """
daemon off;
master_process off;
pid nginx.pid;
error_log errors.log;
events { worker_connections 1024; }
http {
  client_body_temp_path temporary; proxy_temp_path temporary; fastcgi_temp_path temporary;
  uwsgi_temp_path temporary; scgi_temp_path temporary;
  access_log off;
  proxy_cache_path cache keys_zone=documents:1m;
  server {
    listen 127.0.0.1:PORT;
    location / {
      proxy_pass http://127.0.0.1:ORIGIN;
      proxy_cache documents;
      proxy_cache_lock on;
      proxy_cache_background_update on;
      proxy_cache_use_stale updating error timeout http_500 http_502 http_503 http_504;
    }
  }
}
"""


class Origin(http.server.BaseHTTPRequestHandler):
    """Sends an unchanged collection. Records the time of each request by URL."""

    times: dict[str, list[float]] = {}
    lock = threading.Lock()

    def do_GET(self) -> None:
        with self.lock:
            self.times.setdefault(self.path, []).append(time.monotonic())
        records = [] if "_since=" in self.path else [{"id": "a", "last_modified": 1, "v": True}]
        body = json.dumps({"metadata": {}, "timestamp": 1, "changes": records}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", f"max-age={INTERVAL_SECONDS}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:
        """Prints nothing, because standard output and error have the results only."""


class Attempts:
    """Counts the refreshes of all clients."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.count = 0

    def note(self, attempt: remora.Attempt) -> None:
        with self.changed:
            if attempt.error is not None:
                print(attempt.error, file=sys.stderr)
            else:
                self.count += 1
            self.changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self.changed:
            if not self.changed.wait_for(lambda: self.count >= count, LIMIT_SECONDS):
                sys.exit(f"{self.count} successful refreshes after {LIMIT_SECONDS} s, expected {count}")


def start_cache(folder: Path, origin: int) -> tuple[subprocess.Popen[bytes], int]:
    """Starts nginx. Returns the process and its port."""
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = CONFIGURATION.replace("PORT", str(port)).replace("ORIGIN", str(origin))
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", "nginx.conf", "-e", "errors.log"])
    deadline = time.monotonic() + LIMIT_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            continue
        return process, port
    process.kill()
    sys.exit("nginx does not start")


def run(scratch: Path, port: int) -> tuple[int, float]:
    """Runs the clients. Returns the number of their refreshes, and the time in seconds."""
    attempts = Attempts()
    server = f"http://127.0.0.1:{port}/v2"
    clients = [
        remora.Client(scratch / f"client-{number}", server=server, on_attempt=attempts.note)
        for number in range(CLIENTS)
    ]
    began = time.monotonic()
    sources = [
        client.collection("settings", trust="off", refresh_interval=float(INTERVAL_SECONDS)) for client in clients
    ]
    attempts.wait_for(CLIENTS * ROUNDS)
    elapsed = time.monotonic() - began
    if any(source["a"]["v"] is not True for source in sources):
        sys.exit("a client does not have the record")
    for client in clients:
        client.close()
    return attempts.count, elapsed


def main() -> None:
    scratch = Path(sys.argv[1])
    origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    cache, port = start_cache(scratch / "nginx", origin.server_port)
    try:
        refreshes, elapsed = run(scratch, port)
    finally:
        cache.terminate()
        cache.wait(LIMIT_SECONDS)
    for url, times in Origin.times.items():
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        if any(gap < INTERVAL_SECONDS for gap in gaps):
            sys.exit(f"{url} is requested from the origin after {min(gaps):.2f} s")
    print("clients", CLIENTS)
    print("interval", INTERVAL_SECONDS)
    print(f"seconds {elapsed:.1f}")
    print("refreshes", refreshes)
    print("origin.urls", len(Origin.times))
    print("origin.requests", sum(map(len, Origin.times.values())))


if __name__ == "__main__":
    main()
