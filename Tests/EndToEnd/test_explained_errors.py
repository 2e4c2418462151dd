# SPDX-License-Identifier: Apache-2.0
#
# Errors that name their real cause: what the server says, and a certificate that it misses.
"""The causes that errors and log lines name."""

from __future__ import annotations

import json
import logging
import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from EndToEnd.hosts import Hosts
from EndToEnd.settings_hosts import PATH, SettingsHosts
from Servers.loopback import Response


@contextmanager
def server_for_known_clients(directory: Path) -> Iterator[tuple[str, Path]]:
    """A TLS server that ends each connection without a client certificate; its URL, and its root certificate."""
    key, certificate = directory / "key.pem", directory / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", key, "-out", certificate, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.load_verify_locations(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as secured:
                    try:
                        secured.do_handshake()
                    except OSError:
                        # The client reads the alert only if the connection is not reset.
                        while os.read(secured.fileno(), 4096):
                            pass

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listener.getsockname()[1]}/", certificate
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_server_that_requires_a_client_certificate_causes_a_tls_error(hosts: Hosts, tmp_path: Path) -> None:
    with server_for_known_clients(tmp_path) as (url, root):
        host = hosts.setup(ca_file=root)
        host.succeed("open", "settings", url, fetch_at_open=False)
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_TLS", "failed")
        assert "certificate required" in answer["message"]


def test_the_error_of_an_http_status_quotes_the_explanation_of_the_server(settings: SettingsHosts) -> None:
    host = settings.open()
    body = {"code": 403, "errno": 121, "error": "Forbidden", "message": "This user cannot access this resource."}
    settings.server.answer(Response(status=403, body=json.dumps(body).encode()), PATH)
    answer = host.refresh()
    assert answer["status"] == "REMORA_ERR_HTTP"
    assert answer["message"].endswith('with HTTP status 403, and says "This user cannot access this resource."')


def test_a_debug_line_names_the_url_of_a_request_without_the_values_of_its_query(settings: SettingsHosts) -> None:
    settings.say(a=1)
    host = settings.hosts.setup(log=logging.DEBUG)
    settings.try_open(host, params={"token": "secret"}, fetch_at_open=False)
    host.refresh()
    lines = host.log()
    expected = f"sends GET {settings.server.url(PATH)}?token=…"
    assert any(line.endswith(expected) for line in lines), lines
    assert not any("secret" in line for line in lines)
