# SPDX-License-Identifier: Apache-2.0
#
# Kinto as a child process on a free loopback port, with its chain and attachments beside
# it. Ends with the test that started it, also when that test fails or is killed.
"""The real Remote Settings server (/v1)."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from .chain_files import ChainFiles
from .kinto_admin import KintoAdmin
from .kinto_ini import kinto_ini
from .pki import make_pki
from .waiting import wait_until

_PACKAGE_PARENT = Path(__file__).resolve().parents[1]


class KintoServer:
    """One Kinto. Data live in its memory: `stop` then `start` gives an empty server on the same port."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._directory = Path(tempfile.mkdtemp(prefix="remora-kinto-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._pki = make_pki(self._directory / "pki")
        attachments = self._directory / "attachments"
        attachments.mkdir()
        self.files = ChainFiles(self._pki.chain_pem, attachments)
        self.files.start()
        atexit.register(self.close)

    @property
    def url(self) -> str:
        """What a client is configured with."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def root_sha256(self) -> str:
        """What a client pins."""
        return self._pki.root_sha256

    @property
    def chain_pem(self) -> str:
        """The chain that signatures point to."""
        return self._pki.chain_pem

    @property
    def admin(self) -> KintoAdmin:
        """Editing and publishing."""
        return KintoAdmin(self.url)

    def start(self) -> None:
        """Starts Kinto and waits until it is healthy and its workspace is made."""
        with socket.create_server(("127.0.0.1", self._port)) as listener:
            self._port = listener.getsockname()[1]
            self._process = self._spawn(listener.fileno())
        try:
            wait_until(self._is_healthy, "Kinto to start", seconds=60)
            self.admin.prepare()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Kills Kinto: its port refuses connections and its data are gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """Stops everything and removes the files."""
        self.stop()
        self.files.stop()
        shutil.rmtree(self._directory, ignore_errors=True)
        atexit.unregister(self.close)

    def __enter__(self) -> KintoServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _spawn(self, descriptor: int) -> subprocess.Popen[bytes]:
        ini = self._directory / "kinto.ini"
        ini.write_text(
            kinto_ini(
                host=f"127.0.0.1:{self._port}",
                private_key=str(self._pki.leaf_key),
                x5u=self.files.chain_url,
                attachments=str(self._directory / "attachments"),
                attachments_url=self.files.attachments_url,
            )
        )
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-W",
                    "ignore",
                    "-m",
                    "Servers.kinto_child",
                    str(ini),
                    str(descriptor),
                    str(os.getpid()),
                ],
                env={**os.environ, "PYTHONPATH": str(_PACKAGE_PARENT)},
                cwd=self._directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[descriptor],
            )

    @property
    def _log(self) -> Path:
        return self._directory / "kinto.log"

    def _is_healthy(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise RuntimeError(f"Kinto ended at start:\n{self._log.read_text()[-3000:]}")
        try:
            with urllib.request.urlopen(f"{self.url}/__heartbeat__", timeout=10) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            return False
