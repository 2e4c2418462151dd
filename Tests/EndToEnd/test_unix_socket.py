# SPDX-License-Identifier: Apache-2.0
#
# A sidecar on a Unix socket: requests reach it as they would reach their server.
"""Requests through a Unix socket."""

from __future__ import annotations

import http.server
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import remora

URL = "http://settings.test/settings"


class _Sidecar(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        hosts.append(self.headers["Host"])
        body = b'{"servers": 4}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


hosts: list[str] = []


@contextmanager
def sidecar(path: Path) -> Iterator[None]:
    """Serves settings on a socket."""
    hosts.clear()
    with socketserver.ThreadingUnixStreamServer(str(path), _Sidecar) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()
    path.unlink()


def test_requests_are_sent_to_a_unix_socket_as_to_their_server(tmp_path: Path) -> None:
    path = tmp_path / "sidecar.sock"
    with sidecar(path), remora.Client.in_memory(application_name="host", proxy=f"unix:{path}") as client:
        settings = client.settings(URL, activation="immediate", fetch_at_open=False)
        settings.refresh(timeout=60)
        assert settings.get_int("servers") == 4
        assert hosts == ["settings.test"]


def test_a_socket_that_is_not_there_yet_is_a_network_error_and_works_later(tmp_path: Path) -> None:
    path = tmp_path / "sidecar.sock"
    with remora.Client.in_memory(application_name="host", proxy=f"unix:{path}") as client:
        settings = client.settings(URL, activation="immediate", fetch_at_open=False)
        with pytest.raises(remora.NetworkError):
            settings.refresh(timeout=60)
        with sidecar(path):
            settings.refresh(timeout=60, force=True)
            assert settings.get_int("servers") == 4


@pytest.mark.parametrize("proxy", ["unix:relative.sock", "unix:", f"unix:/{'a' * 107}"])
def test_a_path_that_cannot_be_a_socket_is_refused_by_the_name_of_the_option(proxy: str) -> None:
    with pytest.raises(remora.InvalidArgumentError, match="^proxy has no absolute path"):
        remora.Client.in_memory(application_name="host", proxy=proxy)
