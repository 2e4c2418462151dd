# SPDX-License-Identifier: Apache-2.0
"""Certificates that identify the client, against nginx with `ssl_verify_client on`."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
from conftest import SECONDS
from Servers.waiting import wait_until

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIGURATION = """
daemon off; master_process off; pid nginx.pid; error_log errors.log;
events {}
http {
  client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t; uwsgi_temp_path t; scgi_temp_path t;
  access_log off;
  keepalive_timeout 0;
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate server.pem; ssl_certificate_key server.key;
    ssl_client_certificate ca.pem; ssl_verify_client on;
    ssl_session_cache shared:s:1m;
    location / { default_type application/json; return 200 '{"client": "$ssl_client_s_dn"}'; }
  }
}
"""


class MutualTls:
    """nginx, a certificate authority, and the certificate of the client in `client.pem` and `client.key`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._openssl("req", "-x509", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca", *_EC)
        self.issue("server", "127.0.0.1")
        self.issue("client", "first")

    def _openssl(self, *arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True, timeout=60)

    def issue(self, name: str, common: str) -> None:
        """Makes a certificate, or replaces it."""
        self._openssl("req", "-nodes", "-keyout", "new.key", "-out", "new.csr", "-subj", f"/CN={common}", *_EC)
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
        self._openssl("x509", "-req", "-in", "new.csr", "-out", "new.pem", *signing)
        for kind in ("key", "pem"):
            (self.folder / f"new.{kind}").replace(self.folder / f"{name}.{kind}")

    def start(self) -> subprocess.Popen[bytes]:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"https://127.0.0.1:{port}/settings.json"
        (self.folder / "nginx.conf").write_text(CONFIGURATION.replace("PORT", str(port)))
        process = subprocess.Popen([NGINX, "-p", str(self.folder), "-c", "nginx.conf", "-e", "errors.log"])

        def answers() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_until(answers, "nginx")
        return process

    def options(self, **changes: Any) -> dict[str, Any]:
        own = {"certificate": "client.pem", "key": "client.key"}
        files = {f"client_{name}_file": self.folder / file for name, file in own.items()}
        return {"ca_file": self.folder / "ca.pem", **files, **changes}

    def open(self, **changes: Any) -> tuple[remora.Client, remora.Settings]:
        client = remora.Client.in_memory(**self.options(**changes))
        return client, client.settings(self.url, fetch_at_open=False, activation="immediate")


_EC = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[MutualTls]:
    made = MutualTls(tmp_path)
    process = made.start()
    yield made
    process.terminate()
    process.wait(SECONDS)


def refresh(settings: remora.Settings) -> object:
    settings.refresh(SECONDS, force=True)
    return settings["client"]


def test_a_replaced_certificate_identifies_the_client_on_the_next_connection(tls: MutualTls) -> None:
    client, settings = tls.open()
    with client:
        assert refresh(settings) == "CN=first"
        tls.issue("client", "second")
        assert refresh(settings) == "CN=second"
        settings.close()


def test_one_file_may_have_the_certificate_and_the_key(tls: MutualTls) -> None:
    both = tls.folder / "both.pem"
    both.write_bytes((tls.folder / "client.pem").read_bytes() + (tls.folder / "client.key").read_bytes())
    client, settings = tls.open(client_certificate_file=both, client_key_file=None)
    with client:
        assert refresh(settings) == "CN=first"
        settings.close()


@pytest.mark.parametrize("name", ["client.pem", "client.key"])
def test_a_file_that_becomes_unusable_is_a_tls_error_and_the_old_data_stays(tls: MutualTls, name: str) -> None:
    client, settings = tls.open()
    with client:
        assert refresh(settings) == "CN=first"
        (tls.folder / name).write_text("rubbish")
        with pytest.raises(remora.TlsError, match="127.0.0.1.*(certificate|key)"):
            refresh(settings)
        assert settings["client"] == "CN=first"
        tls.issue("client", "second")
        assert refresh(settings) == "CN=second"
        settings.close()


def test_without_a_certificate_the_server_refuses_the_request(tls: MutualTls) -> None:
    client, settings = tls.open(client_certificate_file=None, client_key_file=None)
    with client:
        with pytest.raises(remora.NetworkError):
            refresh(settings)
        settings.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"client_certificate_file": "/missing.pem"}, "client_certificate_file cannot be used"),
        ({"client_certificate_file": "/"}, "client_certificate_file cannot be used"),
        ({"client_certificate_file": __file__, "client_key_file": "/missing.key"}, "client_key_file cannot be used"),
        ({"client_key_file": __file__}, "client_key_file cannot be used without a certificate"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(remora.InvalidArgumentError, match=message):
        remora.Client.in_memory(**options)
    remora.Client.in_memory(client_certificate_file=__file__).close()
