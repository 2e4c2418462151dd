# SPDX-License-Identifier: Apache-2.0
#
# A small HTTP/1.1 server on a loopback port, in a thread. What it answers is a function
# from Request to Response; a Response can also say how to misbehave on the wire.
"""The HTTP server that the other servers are made of."""

from __future__ import annotations

import enum
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Request:
    """One request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes = b""
    connection: socket.socket | None = field(default=None, repr=False, compare=False)

    def is_abandoned(self) -> bool:
        """Whether who asked has closed the connection, or broken it."""
        assert self.connection is not None
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    @property
    def path(self) -> str:
        """The target without its query."""
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        """The first value of each query parameter."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}


class Ending(enum.Enum):
    """What happens to the connection once the response is written."""

    KEEP = "keep"
    CLOSE = "close"
    HANG = "hang"


@dataclass
class Response:
    """One response, honest unless `announced` or `ending` say otherwise."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    stream: Iterator[bytes] | None = None
    """Sent chunked instead of the body, until it or the connection ends."""
    announced: int | None = None
    """A Content-Length that is not the body's."""
    ending: Ending = Ending.KEEP
    silent: bool = False
    """Nothing at all is written, not even a status line."""


@dataclass(frozen=True)
class Exchange:
    """What a request had already, and what it was answered with."""

    if_none_match: str
    status: int
    encoding: str


Respond = Callable[[Request], Response]


class LoopbackServer:
    """Serves `respond` on 127.0.0.1; may be stopped and started again on the same port."""

    def __init__(self, respond: Respond, port: int = 0) -> None:
        self._respond = respond
        self._port = port
        self._listener: _Listener | None = None

    @property
    def connections(self) -> int:
        """How many connections were accepted since the last start."""
        return self._listener.accepted if self._listener else 0

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:PORT`; known from the first start on."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listens; returns when connections are accepted."""
        self._listener = _Listener(self._port, self._respond)
        self._port = self._listener.server_port
        threading.Thread(target=self._listener.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Refuses connections from now on and breaks those that are open."""
        if self._listener is not None:
            self._listener.end()
            self._listener = None

    def __enter__(self) -> LoopbackServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Listener(ThreadingHTTPServer):
    """The listening socket and its connections, each served by a daemon thread."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, respond: Respond) -> None:
        self.respond = respond
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self.accepted = 0
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        if isinstance(request, socket.socket):
            with self._lock:
                self._connections.add(request)
                self.accepted += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        if isinstance(request, socket.socket):
            with self._lock:
                self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no news."""

    def end(self) -> None:
        """Ends the accept loop, the waits and the connections."""
        self.ended.set()
        self.shutdown()
        self.server_close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # The peer closed it first.


class _Handler(BaseHTTPRequestHandler):
    """Reads requests of one connection and writes what `respond` says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        request = Request(
            method=self.command,
            target=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
            connection=self.connection,
        )
        response = self.server.respond(request)
        if not response.silent:
            self._write(response)
        if response.ending is Ending.HANG:
            self.server.ended.wait()
        if response.ending is not Ending.KEEP:
            self.close_connection = True

    do_GET = do_POST = _serve

    def _write(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.stream is not None:
            self.send_header("Transfer-Encoding", "chunked")
        elif response.status != 304:
            length = len(response.body) if response.announced is None else response.announced
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if response.stream is None:
            self.wfile.write(response.body)
            return
        for chunk in response.stream:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *_: object) -> None:
        """Tests count requests themselves."""
