# SPDX-License-Identifier: Apache-2.0
#
# nginx speaks HTTP/2 with Remora, and passes the responses of a test server: a response that is cut becomes a reset
# stream, and the limit of requests per connection becomes GOAWAY.
"""Tests of HTTP/2."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import remora

from Servers.loopback import Ending, LoopbackServer, Request, Response
from Servers.ports import free_port, listens
from Servers.waiting import wait_until

REQUESTS_PER_CONNECTION = 3
CONFIGURATION = """
daemon off; master_process off; pid nginx.pid; error_log errors.log; events {}
http {
  client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
  log_format short '$connection $server_protocol'; access_log access.log short;
  keepalive_requests REQUESTS;
  server {
    listen 127.0.0.1:PORT ssl http2;
    ssl_certificate server.pem; ssl_certificate_key server.key;
    location / { proxy_pass UPSTREAM; proxy_http_version 1.1; proxy_buffering off; }
  }
}
"""


@dataclass
class Fixture:
    """A source whose server speaks HTTP/2."""

    source: remora.Settings
    directory: Path
    respond: Callable[[Request], Response]

    def log(self) -> list[list[str]]:
        """The number of the connection and the protocol of each request."""
        return [line.split() for line in (self.directory / "access.log").read_text().splitlines()]


@contextmanager
def nginx(directory: Path, upstream: str) -> Iterator[int]:
    """Starts nginx with a certificate for localhost; its port."""
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(directory / "server.key"), "-out", str(directory / "server.pem")]
    subprocess.run([*made, *names, *files], check=True, capture_output=True)
    port = free_port()
    text = CONFIGURATION.replace("REQUESTS", str(REQUESTS_PER_CONNECTION)).replace("UPSTREAM", upstream)
    (directory / "nginx.conf").write_text(text.replace("PORT", str(port)))
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") or "nginx"
    command = [program, "-p", str(directory), "-e", "errors.log", "-c", str(directory / "nginx.conf")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def has_started() -> bool:
        assert process.poll() is None, (directory / "errors.log").read_text()
        return listens(port)

    try:
        wait_until(has_started, "nginx")
        yield port
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def http2(tmp_path: Path) -> Iterator[Fixture]:
    numbers = itertools.count(1)
    with LoopbackServer(lambda request: made.respond(request)) as server, nginx(tmp_path, server.origin) as port:
        root = tmp_path / "server.pem"
        with remora.Client.in_memory(ca_file=root, stall_timeout=1, total_timeout=20) as client:
            url = f"https://localhost:{port}/"
            source = client.settings(url, activation="immediate", fetch_at_open=False)
            made = Fixture(source, tmp_path, lambda _: Response(body=b'{"n": %d}' % next(numbers)))
            yield made


def test_http2_connections_that_the_server_ends_with_goaway_are_replaced(http2: Fixture) -> None:
    for number in range(1, 21):
        assert http2.source.refresh(timeout=30) is remora.Outcome.UPDATED
        assert http2.source["n"] == number
    wait_until(lambda: len(http2.log()) == 20, "the log of nginx")
    assert {protocol for _, protocol in http2.log()} == {"HTTP/2.0"}
    connections = len({connection for connection, _ in http2.log()})
    assert 20 / (REQUESTS_PER_CONNECTION + 1) <= connections <= 20 / (REQUESTS_PER_CONNECTION - 1)


@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.HANG], ids=["reset", "stalled"])
def test_an_http2_stream_that_is_reset_or_stalls_is_a_network_error_and_changes_nothing(
    http2: Fixture, ending: Ending
) -> None:
    honest = http2.respond
    http2.source.refresh(timeout=30)
    http2.respond = lambda _: Response(body=b'{"n": 100', announced=1000, ending=ending)
    with pytest.raises(remora.NetworkError):
        http2.source.refresh(timeout=30)
    assert http2.source["n"] == 1
    http2.respond = honest
    assert http2.source.refresh(timeout=30) is remora.Outcome.UPDATED
    assert http2.source["n"] == 2
