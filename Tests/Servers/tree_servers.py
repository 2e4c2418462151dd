# SPDX-License-Identifier: Apache-2.0
#
# Servers of a published tree: `python3 -m http.server`, and nginx with the configuration of the guide.
"""Servers of a folder."""

from __future__ import annotations

import re
import shutil
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

from Servers.ports import free_port, listens
from Servers.waiting import wait_until

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "publishing.md"


class PythonServer:
    """`python3 -m http.server` in a folder."""

    ca_file = None

    def __init__(self, tree: Path, directory: Path) -> None:
        self._tree = tree
        tree.mkdir(exist_ok=True)
        self.url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "-d", str(self._tree)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout
        port = re.findall(r"port (\d+)", self._process.stdout.readline())[0]
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate()


class Nginx:
    """nginx with the server block of the guide, on a loopback port, over TLS with an authority of its own."""

    def __init__(self, tree: Path, directory: Path) -> None:
        tree.mkdir(exist_ok=True)
        self._tree, self._directory = tree, directory / "nginx"
        self._directory.mkdir()
        self.ca_file = self._directory / "authority.pem"
        self._port = free_port()
        self.url = f"https://localhost:{self._port}"

    def __enter__(self) -> Self:
        certificate, key = self._directory / "server.pem", self._directory / "server.key"
        # Python 3.13 refuses the certificate of an authority without a key usage.
        usage = ["-addext", "keyUsage=keyCertSign"]
        self._issue(self.ca_file, self._directory / "authority.key", "-subj", "/CN=Authority", *usage)
        names = ["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]
        signed = ["-CA", str(self.ca_file), "-CAkey", str(self._directory / "authority.key")]
        self._issue(certificate, key, "-subj", "/CN=localhost", *names, *signed)
        (block,) = re.findall(r"^```nginx\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
        for old, new in (
            ("listen 443 ssl;", f"listen 127.0.0.1:{self._port} ssl;"), ("settings.example;", "localhost;"),
            ("/etc/ssl/settings.pem", str(certificate)), ("/etc/ssl/settings.key", str(key)),
            ("/srv/settings;", f"{self._tree};"),
        ):  # fmt: skip
            assert block.count(old) == 1, old
            block = block.replace(old, new)
        paths = "".join(f"{name}_temp_path temporary;" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = f"daemon off; master_process off; pid nginx.pid; events {{}} http {{ access_log off; {paths}\n{block} }}"
        (self._directory / "nginx.conf").write_text(text)
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") or "nginx"
        started = [program, "-p", str(self._directory), "-e", "errors.log", "-c", str(self._directory / "nginx.conf")]
        self._process = subprocess.Popen(started, stderr=subprocess.DEVNULL)
        wait_until(self._listens, "nginx")
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)

    def _issue(self, certificate: Path, key: Path, *options: str) -> None:
        """Issues a certificate for a new key."""
        made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "30", "-nodes"]
        command = ["openssl", "req", "-x509", *made, *options, "-keyout", str(key), "-out", str(certificate)]
        subprocess.run(command, check=True, capture_output=True)

    def _listens(self) -> bool:
        assert self._process.poll() is None, (self._directory / "errors.log").read_text()
        return listens(self._port)

    def fetch(self, path: str) -> tuple[int, dict[str, str]]:
        """Returns the status and the headers of a path."""
        context = ssl.create_default_context(cafile=self.ca_file)
        try:
            with urllib.request.urlopen(f"{self.url}{path}", context=context) as answer:
                return answer.status, {name.lower(): value for name, value in answer.headers.items()}
        except urllib.error.HTTPError as error:
            return error.code, {}
