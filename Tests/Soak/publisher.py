# SPDX-License-Identifier: Apache-2.0
"""The publisher of a soak: a thread that publishes one edition after the other."""

from __future__ import annotations

import threading
from pathlib import Path

from Servers.publishing_folder import PublishingFolder
from Soak import content
from Soak.server import Server


class Publisher:
    """Runs `remora publish` in intervals. `failure` is the reason if it has ended by itself."""

    def __init__(self, tool: Path, directory: Path) -> None:
        self._folder = PublishingFolder(tool, directory)
        self._stop = threading.Event()
        self.tree, self.root = self._folder.tree, self._folder.root
        self.failure: str | None = None
        self.edition = 0

    def publish(self, server: Server) -> None:
        """Publishes the next edition."""
        edition = self.edition + 1
        file = self._folder.settings / content.COLLECTION / content.FILE
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content.attachment(edition))
        self._folder.publish(content.COLLECTION, content.records(edition), server.url)
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
