# SPDX-License-Identifier: Apache-2.0
"""The publisher of a soak: a thread that publishes one edition after the other."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

from Soak import content
from Soak.server import Server


class Publisher:
    """Runs `remora publish` in intervals. `failure` is the reason if it has ended by itself."""

    def __init__(self, tool: Path, directory: Path) -> None:
        self._tool, self._directory = tool, directory
        self._stop = threading.Event()
        self.tree = directory / "tree"
        self.tree.mkdir()
        self.root = self._run("keys", "init", "keys").strip()
        self.failure: str | None = None
        self.edition = 0

    def publish(self, server: Server) -> None:
        """Publishes the next edition."""
        edition = self.edition + 1
        folder = self._directory / "settings" / "main"
        file = folder / content.COLLECTION / content.FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.attachment(edition))
        (folder / f"{content.COLLECTION}.json").write_text(json.dumps(content.records(edition)))
        self._run("publish", "settings", "--to", "tree", "--base-url", server.url, "--keys", "keys/publisher")
        server.published(edition)
        self.edition = edition

    def start(self, server: Server, seconds: float) -> None:
        """Publishes in a thread until `stop`."""
        self._thread = threading.Thread(target=self._publish_all, args=(server, seconds), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _publish_all(self, server: Server, seconds: float) -> None:
        try:
            while not self._stop.wait(seconds):
                self.publish(server)
        except (RuntimeError, OSError) as error:
            self.failure = str(error)

    def _run(self, *words: str) -> str:
        command = [str(self._tool), *words]
        done = subprocess.run(command, cwd=self._directory, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"remora {words[0]} failed: {done.stderr}")
        return done.stdout
