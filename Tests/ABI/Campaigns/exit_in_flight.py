#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that return from main while their TLS request is in flight.

usage: exit_in_flight.py DIRECTORY [RUNS]

DIRECTORY holds exit_in_flight and exit_without_handler. A TLS server on loopback tells
each host through its standard input that its request has come to a certain moment, which
changes from run to run, and goes on with an answer without end. Every run of
exit_in_flight must exit with 0. The control, plain libcurl without an exit handler, only
reports its share of failures: it shows that these moments catch the fault.
"""

import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable

# Longer than a busy machine stops a process; a host that hangs does so for longer.
DEADLINE_SECONDS = 30
CONTROL_RUNS = 100
# Where a request is when its host returns: TCP is connected; the hello has come and the
# server's side of the handshake is about to leave; it has left; the request has come; the
# body is under way. The handshake is where OpenSSL uses most of what its exit frees.
MOMENTS = ("connected", "hello", "handshake", "request", "body")
HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    b'{"metadata":{"bucket":"main","id":"endless"},"timestamp":1000,"changes":["'
)
CHUNK = b"x" * 65536


def make_certificate(directory: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = directory / "ca.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-subj", "/CN=Remora test authority", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key


class EndlessServer:
    """Serves one connection after the other; calls `reached` with each of the MOMENTS."""

    def __init__(self, certificate: pathlib.Path, key: pathlib.Path):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self.listener.getsockname()[1]}"
        self.reached: Callable[[str], None] = lambda moment: None
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            try:
                with connection:
                    self.answer(connection)
            except (OSError, ValueError):
                pass  # The host, or its pipe, is gone: that is the end of every run.

    def answer(self, connection: socket.socket) -> None:
        # TLS in memory, so that the server knows what it is about to send.
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        stream = self.context.wrap_bio(incoming, outgoing, server_side=True)

        def complete(step: Callable[[], object]) -> object:
            """Does one step of TLS, receiving for it as often as it asks."""
            while True:
                try:
                    result = step()
                    connection.sendall(outgoing.read())
                    return result
                except ssl.SSLWantReadError:
                    if outgoing.pending:
                        self.reached("hello")
                        connection.sendall(outgoing.read())
                        self.reached("handshake")
                    received = connection.recv(65536)
                    if not received:
                        raise ConnectionResetError from None
                    incoming.write(received)

        self.reached("connected")
        complete(stream.do_handshake)
        complete(lambda: stream.read(65536))
        self.reached("request")
        complete(lambda: stream.write(HEAD))
        complete(lambda: stream.write(CHUNK))
        self.reached("body")
        while True:
            complete(lambda: stream.write(CHUNK))


def run(program: pathlib.Path, server: EndlessServer, certificate: pathlib.Path, moment: str) -> str:
    """One run; returns "" or what was wrong with its end."""
    told = threading.Event()
    with subprocess.Popen([program, server.url, certificate], stdin=subprocess.PIPE, bufsize=0) as host:

        def reached(now: str) -> None:
            if now == moment and not told.is_set():
                told.set()
                host.stdin.write(b".")

        server.reached = reached
        try:
            status = host.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            host.kill()
            what = "no end" if told.is_set() else "not reached"
            return f"{moment}: {what} within {DEADLINE_SECONDS} s"
        finally:
            server.reached = lambda now: None
    if not told.is_set():
        return f"{moment}: ended with {status} before that"
    return f"{moment}: " + (f"signal {-status}" if status < 0 else f"status {status}") if status else ""


def run_all(program: pathlib.Path, server: EndlessServer, certificate: pathlib.Path, runs: int) -> list[str]:
    """The failures of so many runs, the moments taken in turn."""
    ends = (run(program, server, certificate, MOMENTS[number % len(MOMENTS)]) for number in range(runs))
    return [end for end in ends if end]


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    programs = pathlib.Path(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) == 3 else 300
    with tempfile.TemporaryDirectory() as directory:
        certificate, key = make_certificate(pathlib.Path(directory))
        server = EndlessServer(certificate, key)
        failures = run_all(programs / "exit_in_flight", server, certificate, runs)
        control = run_all(programs / "exit_without_handler", server, certificate, CONTROL_RUNS)
    for failure in failures:
        print(failure)
    print(f"control without a handler: {len(control)} of {CONTROL_RUNS} runs failed")
    print(f"{runs - len(failures)} of {runs} hosts returned from main in the middle of a request and exited with 0")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
