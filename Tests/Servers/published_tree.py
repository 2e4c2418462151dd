# SPDX-License-Identifier: Apache-2.0
#
# A signed tree that `remora publish` writes, on a web server of Python: what the demos show.
"""A published collection on loopback."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from functools import partial
from pathlib import Path


class PublishedTree:
    """A folder with keys, its tree, and the server of the tree."""

    def __init__(self, tool: Path, directory: Path, collection: str) -> None:
        self._tool, self._directory, self._collection = tool, directory, collection
        (directory / "tree").mkdir()
        handler = partial(_Handler, directory=str(directory / "tree"))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.root = self._run("keys", "init", "keys").strip()

    def publish(self, records: dict[str, dict[str, object]]) -> None:
        """Publishes the records, and prints the table of the tool."""
        file = self._directory / "settings" / "main" / f"{self._collection}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([{"id": key, **fields} for key, fields in records.items()]))
        options = ["--to", "tree", "--base-url", self.url, "--keys", "keys/publisher", "--allow-floats"]
        print(f"    {self._run('publish', 'settings', *options)}", end="", flush=True)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _run(self, *words: str) -> str:
        command = [str(self._tool), *words]
        done = subprocess.run(command, cwd=self._directory, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"remora {words[0]} failed: {done.stderr}")
        return done.stdout


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Prints nothing."""
