# SPDX-License-Identifier: Apache-2.0
#
# A signed tree that `remora publish` writes, on a web server of Python: what the demos show.
"""A published collection on loopback."""

from __future__ import annotations

import http.server
import threading
from functools import partial
from pathlib import Path

from .publishing_folder import PublishingFolder


class PublishedTree:
    """A folder with keys, its tree, and the server of the tree."""

    def __init__(self, tool: Path, directory: Path, collection: str) -> None:
        self._folder, self._collection = PublishingFolder(tool, directory), collection
        self.root = self._folder.root
        handler = partial(_Handler, directory=str(self._folder.tree))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def publish(self, records: dict[str, dict[str, object]]) -> None:
        """Publishes the records, and prints the table of the tool."""
        listed = [{"id": key, **fields} for key, fields in records.items()]
        print(f"    {self._folder.publish(self._collection, listed, self.url)}", end="", flush=True)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Prints nothing."""
