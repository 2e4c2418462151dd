# SPDX-License-Identifier: Apache-2.0
#
# nginx with static files, on a loopback port and in a directory of its own; its access log is the record. One process,
# of whoever runs the tests: root or not.
"""nginx as a server of static documents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

from Servers.bundle_server import SCHEMA, bundle
from Servers.loopback import Exchange, Request
from Servers.ports import free_port
from Servers.static_server import MAX_AGE
from Servers.waiting import wait_until

_ATTEMPTS = 10
_READY = "/-/ready"

# Five paths are among the system's own unless they are named.
_CONFIGURATION = """
daemon off;
master_process off;
pid nginx.pid;
error_log errors.log;
events {}
http {
  client_body_temp_path temporary; proxy_temp_path temporary; fastcgi_temp_path temporary;
  uwsgi_temp_path temporary; scgi_temp_path temporary;
  default_type application/json;
  etag on;
  gzip on; gzip_types *; gzip_min_length 0;
  log_format record escape=json
    '["$request_method","$request_uri","$http_if_none_match","$status","$sent_http_content_encoding"]';
  access_log access.log record;
  server {
    listen 127.0.0.1:PORT;
    root documents;
    if (-f $document_root/../fails) { return 500; }
    location = READY { return 204; }
LIFETIMES
  }
}
"""


class NginxServer:
    """A StaticServer; a document is a file."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._documents = directory / "documents"
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._modified = 0
        self._documents.mkdir(parents=True)

    def __enter__(self) -> Self:
        for _ in range(_ATTEMPTS):
            self._port = free_port()
            if self._starts():
                return self
        raise RuntimeError(f"nginx does not start: {self._errors()}")

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        if not self._starts():
            raise RuntimeError(f"nginx does not start again: {self._errors()}")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def url(self, path: str = "/bundle.json") -> str:
        return self.origin + path

    def publish(self, version: object, *elements: object, path: str = "/bundle.json", schema: str = SCHEMA) -> None:
        self.say(bundle(version, *elements, schema=schema), path)

    def say(self, body: bytes, path: str = "/bundle.json") -> None:
        """Replaces the file. Its ETag is made of its size and the second of its modification: no two are equal."""
        file = self._documents / path.removeprefix("/")
        file.parent.mkdir(exist_ok=True)
        written = self._directory / "written"
        written.write_bytes(body)
        self._modified += 1
        os.utime(written, (self._modified, self._modified))
        written.replace(file)

    def fail(self) -> None:
        (self._directory / "fails").touch()

    @property
    def requests(self) -> list[Request]:
        return [Request(method, target, {"if-none-match": asked}) for method, target, asked, _, _ in self._lines()]

    @property
    def exchanges(self) -> list[Exchange]:
        return [Exchange(asked, int(status), encoding) for _, _, asked, status, encoding in self._lines()]

    def _starts(self) -> bool:
        lifetimes = (f"    location {path}/ {{ expires {age}s; }}" for path, age in MAX_AGE.items())
        text = _CONFIGURATION.replace("LIFETIMES", "\n".join(lifetimes))
        file = self._directory / "nginx.conf"
        file.write_text(text.replace("PORT", str(self._port)).replace("READY", _READY))
        command = [_program(), "-p", str(self._directory), "-e", "errors.log", "-c", str(file)]
        with (self._directory / "output.log").open("ab") as output:
            self._process = process = subprocess.Popen(command, stdout=output, stderr=output)
        wait_until(lambda: process.poll() is not None or self._answers(), "nginx")
        return process.poll() is None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url(_READY), timeout=5):
                return True
        except urllib.error.HTTPError:
            return True  # It is one that fails.
        except OSError:
            return False

    def _lines(self) -> list[list[str]]:
        """The record. It is written before the next request is answered: who was answered finds all before it."""
        if self._process is not None:
            self._answers()
        lines = (self._directory / "access.log").read_text().splitlines()
        return [fields for fields in map(json.loads, lines) if fields[1] != _READY]

    def _errors(self) -> str:
        return (self._directory / "errors.log").read_text(errors="replace")[-500:]


def _program() -> str:
    """Debian has it outside of the path of most users."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin") or "nginx"
