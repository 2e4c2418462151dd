# SPDX-License-Identifier: Apache-2.0
#
# The demo of `make demo`: packaged values, then fetched ones, then an edit that arrives
# as an event, then cached values without a server. Succeeds only if all of it was seen.
# It needs only the standard library of Python.
"""`python -m Servers.demo BUILD_DIRECTORY`."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

from .demo_records import COLLECTION, RECORDS, packaged_json
from .signals import set_default_signals_of_children
from .terminal_process import TerminalProcess

_SECONDS = 60.0
_EDITED_TEXT = "Edited while you watched"
_NEW_KEY = "surprise"
"""Can only be known from the event: it is in no earlier state."""


def main(build: Path) -> None:
    """Runs the demo; whatever was not seen is an exception."""
    set_default_signals_of_children()
    with tempfile.TemporaryDirectory(prefix="remora-demo-") as name:
        directory = Path(name)
        storage, packaged = directory / "storage", directory / "packaged.json"
        packaged.write_text(packaged_json())
        tree = _Tree(build.resolve() / "remora", directory)
        _heading("1  remora publish signs a folder of JSON, and a web server serves the tree on loopback")
        tree.publish(RECORDS)
        examples = build / "examples"
        arguments = (tree.url, tree.root, COLLECTION, storage)
        _heading("2  A C program opens the collection, refreshes it and waits for a change")
        with TerminalProcess(examples / "watch", *arguments, packaged) as watch:
            watch.wait_for_line("packaged", _SECONDS)
            watch.wait_for_line("fetched", _SECONDS)
            watch.wait_for_line("ready", _SECONDS)
            _heading(f"3  An editor changes banner.text, adds {_NEW_KEY} and publishes; the program is notified")
            tree.publish({**RECORDS, "banner": {**RECORDS["banner"], "text": _EDITED_TEXT}, _NEW_KEY: {"n": 1}})
            watch.wait_for_line(_NEW_KEY, _SECONDS)
            watch.wait_for_end(_SECONDS)
        _heading("4  The server is stopped; a new process reads the value from the cache")
        tree.stop()
        with TerminalProcess(examples / "get", *arguments, "banner", "/text") as get:
            get.wait_for_end(_SECONDS)
            _require(_EDITED_TEXT in get.seen, "get did not print the edited text")
            _require("cached" in get.seen.lower(), "get did not say that the value is cached")
    _heading("Seen: packaged, fetched, changed, cached. The demo succeeded.")


class _Tree:
    """A folder with keys, its tree, and the server of the tree."""

    def __init__(self, tool: Path, directory: Path) -> None:
        self._tool, self._directory = tool, directory
        (directory / "tree").mkdir()
        handler = partial(_Handler, directory=str(directory / "tree"))
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.root = self._run("keys", "init", "keys").strip()

    def publish(self, records: dict[str, dict[str, object]]) -> None:
        """Publishes the records, and prints the table of the tool."""
        file = self._directory / "settings" / "main" / f"{COLLECTION}.json"
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
        _require(done.returncode == 0, f"remora {words[0]} failed: {done.stderr}")
        return done.stdout


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Prints nothing."""


def _heading(text: str) -> None:
    print(f"\n== {text}", flush=True)


def _require(seen: bool, complaint: str) -> None:
    if not seen:
        raise RuntimeError(complaint)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (OSError, RuntimeError) as error:
        sys.exit(f"\ndemo: {error}")
