# SPDX-License-Identifier: Apache-2.0
#
# nginx that asks another place about each request (auth_request) and knows its clients by their certificates
# (ssl_verify_client): tokens and certificates that change while the program runs.
"""Credentials that change."""

from __future__ import annotations

import http.server
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import remora
from Servers.ports import free_port, listens
from Servers.publishing_folder import PublishingFolder
from Servers.waiting import wait_until

from . import tool

LIMIT = 60.0
CONFIGURATION = """
daemon off; master_process off; pid nginx.pid; error_log errors.log; events {}
http {
  client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
  log_format who '$ssl_client_s_dn $http_x_token $status'; access_log access.log who; keepalive_timeout 0;
  server {
    listen 127.0.0.1:PORT ssl; server_name localhost; root tree;
    ssl_certificate server.pem; ssl_certificate_key server.key;
    ssl_client_certificate authority.pem; ssl_verify_client on;
    location / { auth_request /auth; }
    location = /auth { internal; proxy_pass http://127.0.0.1:JUDGE; }
  }
}
"""


class Judge(http.server.ThreadingHTTPServer):
    """The server that nginx asks about each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Verdict)
        self.tokens: set[str] = set()
        self.asked, self.may_answer = threading.Event(), threading.Event()
        self.may_answer.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Verdict(http.server.BaseHTTPRequestHandler):
    server: Judge

    def do_GET(self) -> None:
        is_known = self.headers["X-Token"] in self.server.tokens
        self.server.asked.set()
        self.server.may_answer.wait(LIMIT)
        self.send_response(204 if is_known else 401)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


class Guarded:
    """nginx, with an authority for its own certificate and those of its clients."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.judge = Judge()
        self._issue("authority", "Authority")
        self._issue("server", "localhost", "-addext", "subjectAltName=DNS:localhost")
        port = free_port()
        self.base = f"https://localhost:{port}"
        self.url = f"{self.base}/settings.json"
        (directory / "nginx.conf").write_text(
            CONFIGURATION.replace("PORT", str(port)).replace("JUDGE", str(self.judge.server_port))
        )
        command = ["/usr/sbin/nginx", "-p", str(directory), "-e", "errors.log", "-c", str(directory / "nginx.conf")]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: listens(port), "nginx")

    def _issue(self, name: str, common_name: str, *more: str) -> None:
        authority = [] if name == "authority" else ["-CA", "authority.pem", "-CAkey", "authority.key"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", f"/CN={common_name}", "-keyout", f"{name}.key", "-out", f"{name}.pem",
             *authority, *more],
            cwd=self.directory, check=True, capture_output=True,
        )  # fmt: skip

    def identify(self, common_name: str) -> None:
        """Replaces the certificate and the key of the client, as a tool that rotates them does."""
        self._issue("next", common_name)
        for ending in ("pem", "key"):
            (self.directory / f"next.{ending}").replace(self.directory / f"client.{ending}")

    def say(self, text: str) -> None:
        (self.directory / "tree").mkdir(exist_ok=True)
        (self.directory / "tree" / "settings.json").write_text(text)

    def requests(self, count: int) -> list[str]:
        """So many requests; nginx logs each after its response."""
        log = self.directory / "access.log"
        wait_until(lambda: len(log.read_text().splitlines()) >= count, "the log")
        return log.read_text().splitlines()

    def client(self, token: str) -> remora.Client:
        return remora.Client.in_memory(
            application_name="host", headers={"X-Token": token}, ca_file=self.directory / "authority.pem",
            client_certificate_file=self.directory / "client.pem", client_key_file=self.directory / "client.key",
        )  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Guarded]:
    """The server, and a client with a certificate and a token."""
    running = Guarded(tmp_path)
    running.identify("one")
    running.judge.tokens = {"first"}
    yield running
    running.process.kill()


def test_a_token_and_a_certificate_are_replaced_while_the_program_runs(server: Guarded) -> None:
    server.judge.may_answer.clear()
    server.say('{"n": 1}')
    with server.client("first") as client:
        settings = client.settings(server.url, activation="immediate", fetch_at_open=False)
        arrived = threading.Event()
        settings.refresh_async(lambda *_: arrived.set())
        assert server.judge.asked.wait(LIMIT)
        server.identify("two")
        server.judge.tokens = {"second"}
        server.judge.may_answer.set()
        assert arrived.wait(LIMIT)
        assert settings.get_int("n") == 1
        server.say('{"n": 22}')
        with pytest.raises(remora.HttpError, match="401"):
            settings.refresh(timeout=LIMIT, force=True)
        client.set_headers({"X-Token": "second"})
        settings.refresh(timeout=LIMIT, force=True)
        assert settings.get_int("n") == 22
    assert server.requests(3) == ["CN=one first 200", "CN=two first 401", "CN=two second 200"]


def test_a_certificate_file_that_is_replaced_by_rubbish_is_a_tls_error_and_the_values_stay(server: Guarded) -> None:
    server.say('{"n": 1}')
    with server.client("first") as client:
        settings = client.settings(server.url, activation="immediate", fetch_at_open=False)
        settings.refresh(timeout=LIMIT)
        (server.directory / "client.pem").write_text("rubbish")
        with pytest.raises(remora.TlsError):
            settings.refresh(timeout=LIMIT, force=True)
        assert settings.get_int("n") == 1
        server.identify("two")
        settings.refresh(timeout=LIMIT, force=True)
    assert server.requests(2)[-1].startswith("CN=two first")


def test_the_tool_identifies_itself_to_the_server_of_a_tree_by_a_certificate_and_a_header(server: Guarded) -> None:
    folder = PublishingFolder(tool.TOOL, server.directory)
    folder.publish("limits", [{"id": "uploads", "max": 20}], server.base)
    certificate = ["--client-certificate", "client.pem", "--client-key", "client.key"]
    trust = ["--ca-file", "authority.pem", "--root-sha256", folder.root]
    token = [*trust, "--header", "X-Token: first"]
    missing = ["--client-certificate", "missing.pem"]
    for words in (["check", server.base], ["dump", "--server", server.base, "--output", "limits.json", "limits"]):
        for options, status, complaint in [
            ([*token, *certificate], 0, ""),
            (token, 3, "400"),
            ([*trust, *certificate], 3, "401"),
            ([*token, *missing], 2, "--client-certificate"),
        ]:
            ended = tool.run(*words, *options, cwd=server.directory)
            assert ended.status == status and complaint in ended.out + ended.err, (words, options, ended)
