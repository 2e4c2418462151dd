# SPDX-License-Identifier: Apache-2.0
"""An installer that saves seeds of settings."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from EndToEnd.driver import Driver
from EndToEnd.host import OK, Answer
from EndToEnd.settings_hosts import PATH, SettingsHosts


class Installer:
    """A program of its own that saves seeds of settings."""

    def __init__(self, settings: SettingsHosts, directory: Path) -> None:
        self._settings = settings
        self.file = directory / "download.json"

    def seed(self, *, storage: Path | None = None, source: dict[str, object] | None = None, **client: object) -> Driver:
        """Starts a process with the seed of a source, by default of the settings without parameters."""
        host = self._settings.hosts.start()
        options = {"url": self._settings.server.url(PATH), **(source or {})}
        host.succeed("seed", storage or self._settings.storage, "settings", options, **client)
        return host

    def try_save(self, content: bytes, *, age: int = 0, fetched_at: object = None, **options: object) -> Answer:
        """Saves what was downloaded so many seconds ago, which may fail, in a process that ends."""
        self.file.write_bytes(content)
        then = time.time() - age
        os.utime(self.file, (then, then))
        host = self.seed(**options)  # type: ignore[arg-type]
        answer = host.run("seed_save", self.file, fetched_at)
        assert host.end() == 0
        return answer

    def save(self, *, age: int = 0, source: dict[str, object] | None = None, **values: object) -> None:
        """Saves a dictionary."""
        answer = self.try_save(json.dumps(values).encode(), age=age, source=source)
        assert answer["status"] == OK, answer

    @property
    def seeds(self) -> list[Path]:
        """The files of seeds that no process has used yet."""
        return sorted(self._settings.storage.glob("*.seed"))
