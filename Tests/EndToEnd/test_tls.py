# SPDX-License-Identifier: Apache-2.0
"""Tests of servers whose TLS must not be trusted."""

from __future__ import annotations

import datetime
import http.server
import ssl
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import remora
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIMIT = 30.0
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)


@dataclass(frozen=True)
class Profile:
    """The certificate of a server, and its newest version of TLS."""

    host: str = "localhost"
    begin: datetime.datetime = NOW - DAY
    end: datetime.datetime = NOW + DAY
    is_self_signed: bool = False
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3


PROFILES = {
    "a self-signed certificate": Profile(is_self_signed=True),
    "a certificate of another host": Profile(host="other.example"),
    "an expired certificate": Profile(begin=NOW - 3 * DAY, end=NOW - DAY),
    "a certificate that is not yet valid": Profile(begin=NOW + DAY, end=NOW + 3 * DAY),
    "TLS 1.1": Profile(newest=ssl.TLSVersion.TLSv1_1),
}


def certificate(
    name: str, key: ec.EllipticCurvePrivateKey, signer: ec.EllipticCurvePrivateKey, issuer: str, profile: Profile
) -> bytes:
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(profile.begin)
        .not_valid_after(profile.end)
        .add_extension(x509.BasicConstraints(name == "authority", None), True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
    )
    return builder.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.requests.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", "7")
        self.end_headers()
        self.wfile.write(b'{"a":1}')

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, context: ssl.SSLContext) -> None:
        self.requests: list[str] = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, request: object, client_address: object) -> None:
        """A handshake that the client ends is no error."""


@contextmanager
def serving(profile: Profile, directory: Path) -> Iterator[tuple[Server, Path]]:
    """A server, and the file with the certificate of its authority."""
    authority, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    signer, issuer = (key, profile.host) if profile.is_self_signed else (authority, "authority")
    root, leaf, private = directory / "root.pem", directory / "leaf.pem", directory / "leaf.key"
    root.write_bytes(certificate("authority", authority, authority, "authority", Profile()))
    leaf.write_bytes(certificate(profile.host, key, signer, issuer, profile))
    form = serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf, private)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = profile.newest
    with Server(context) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server, root
        server.shutdown()
        thread.join()


def fetch(server: Server, root: Path) -> remora.Snapshot:
    with remora.Client.in_memory(ca_file=root) as client:
        source = client.settings(f"https://localhost:{server.server_port}/", fetch_at_open=False)
        source.refresh(timeout=LIMIT)
        return source.snapshot()


@pytest.mark.parametrize("name", PROFILES)
def test_a_server_whose_tls_cannot_be_trusted_receives_no_request(tmp_path: Path, name: str) -> None:
    with serving(PROFILES[name], tmp_path) as (server, root):
        with pytest.raises(remora.TlsError):
            fetch(server, root)
        assert server.requests == []


def test_a_server_whose_certificate_is_valid_is_used(tmp_path: Path) -> None:
    with serving(Profile(), tmp_path) as (server, root):
        assert fetch(server, root)["a"] == 1
        assert server.requests == ["/"]
