# SPDX-License-Identifier: Apache-2.0
#
# The demo of `make demo`: packaged values, then fetched ones, then an edit that arrives
# as an event, then cached values without a server. Succeeds only if all of it was seen.
# It needs only the standard library of Python.
"""`python -m Servers.demo BUILD_DIRECTORY`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .demo_records import COLLECTION, RECORDS, packaged_json
from .published_tree import PublishedTree
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
        tree = PublishedTree(build.resolve() / "remora", directory, COLLECTION)
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
