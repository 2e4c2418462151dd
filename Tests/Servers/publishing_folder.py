# SPDX-License-Identifier: Apache-2.0
"""A folder from which `remora publish` publishes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path


class PublishingFolder:
    """New keys, records, and the tree that the tool makes of them."""

    def __init__(self, tool: Path, directory: Path) -> None:
        self._tool, self._directory = tool, directory
        self.settings = directory / "settings" / "main"
        self.settings.mkdir(parents=True)
        self.tree = directory / "tree"
        self.tree.mkdir()
        self.root = self._run("keys", "init", "keys").strip()
        """The SHA-256 of the root certificate."""

    def publish(self, collection: str, records: Sequence[object], url: str) -> str:
        """Publishes the records of a collection at a URL. Returns what the tool prints."""
        (self.settings / f"{collection}.json").write_text(json.dumps(records))
        places = ["--to", "tree", "--base-url", url, "--keys", "keys/publisher"]
        return self._run("publish", "settings", *places, "--allow-floats")

    def _run(self, *words: str) -> str:
        command = [str(self._tool), *words]
        done = subprocess.run(command, cwd=self._directory, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"remora {words[0]} failed: {done.stderr}")
        return done.stdout
