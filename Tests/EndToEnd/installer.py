# SPDX-License-Identifier: Apache-2.0
"""An installer that saves seeds of settings."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from EndToEnd.driver import Answer
from EndToEnd.settings_hosts import PATH, SettingsHosts


class Installer:
    """A program of its own that saves seeds of settings."""

    def __init__(self, settings: SettingsHosts, directory: Path) -> None:
        self._settings = settings
        self.file = directory / "download.json"

    def try_save(self, content: bytes, *params: str, age: int = 0, **options: object) -> Answer:
        """Saves what was downloaded so many seconds ago, perhaps in vain."""
        self.file.write_bytes(content)
        then = time.time() - age
        os.utime(self.file, (then, then))
        options.setdefault("url", self._settings.server.url(PATH))
        options.setdefault("kind", "settings")
        return self.run("seed-save", self.file, *[f"param={one}" for one in params], **options)

    def run(self, command: str, *words: object, **options: object) -> Answer:
        """Runs a command in a new process, which ends with it."""
        options.setdefault("dir", self._settings.storage)
        host = self._settings.host()
        answer = host.run(command, *words, **options)
        assert host.end() == 0
        return answer

    def save(self, *params: str, age: int = 0, **values: object) -> None:
        """Saves a dictionary."""
        answer = self.try_save(json.dumps(values).encode(), *params, age=age)
        assert answer["status"] == "REMORA_OK", answer

    @property
    def seeds(self) -> list[Path]:
        """The files of seeds that nobody has taken over."""
        return sorted(self._settings.storage.glob("*.seed"))
