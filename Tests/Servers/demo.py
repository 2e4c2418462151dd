# SPDX-License-Identifier: Apache-2.0
#
# The demo of `make demo`: packaged values, then fetched ones, then an edit that arrives
# as an event, then cached values without a server. Succeeds only if all of it was seen.
"""`python -m Servers.demo EXAMPLES_DIRECTORY`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from .demo_records import COLLECTION, RECORDS, packaged_json
from .kinto_server import KintoServer
from .signals import set_default_signals_of_children
from .terminal_process import TerminalProcess

_SECONDS = 60.0
_EDITED_TEXT = "Edited while you watched"
_NEW_KEY = "surprise"
"""Can only be known from the event: it is in no earlier state."""


def main(examples: Path) -> None:
    """Runs the demo; whatever was not seen is an exception."""
    set_default_signals_of_children()
    for name in ("watch", "get"):
        if not (examples / name).exists():
            raise RuntimeError(f"{examples / name} is missing: run make build first")
    with tempfile.TemporaryDirectory(prefix="remora-demo-") as directory:
        storage = Path(directory) / "storage"
        packaged = Path(directory) / "packaged.json"
        packaged.write_text(packaged_json())
        _heading("1  A Remote Settings server (Kinto) starts on loopback")
        with KintoServer() as server:
            url, root = _prepare(server)
            _heading("2  A C program opens the collection, refreshes it and waits for a change")
            with TerminalProcess(examples / "watch", url, root, COLLECTION, storage, packaged) as watch:
                watch.wait_for_line("packaged", _SECONDS)
                watch.wait_for_line("fetched", _SECONDS)
                watch.wait_for_line("ready", _SECONDS)
                _heading(f"3  An editor changes banner.text, adds {_NEW_KEY} and publishes; the program is notified")
                server.admin.edit_record(COLLECTION, "banner", {"text": _EDITED_TEXT})
                server.admin.put_record(COLLECTION, _NEW_KEY, {"n": 1})
                print(f"    published timestamp {server.admin.publish(COLLECTION)}", flush=True)
                watch.wait_for_line(_NEW_KEY, _SECONDS)
                watch.wait_for_end(_SECONDS)
            _heading("4  The server is stopped; a new process reads the value from the cache")
            server.stop()
            with TerminalProcess(examples / "get", url, root, COLLECTION, storage, "banner", "/text") as get:
                get.wait_for_end(_SECONDS)
                _require(_EDITED_TEXT in get.seen, "get did not print the edited text")
                _require("cached" in get.seen.lower(), "get did not say that the value is cached")
    _heading("Seen: packaged, fetched, changed, cached. The demo succeeded.")


def _prepare(server: KintoServer) -> tuple[str, str]:
    started = time.monotonic()
    server.admin.create_collection(COLLECTION)
    for key, fields in RECORDS.items():
        server.admin.put_record(COLLECTION, key, fields)
    timestamp = server.admin.publish(COLLECTION)
    print(f"    url        {server.url}")
    print(f"    root       {server.root_sha256}")
    print(f"    collection {COLLECTION}, {len(RECORDS)} records, timestamp {timestamp}")
    print(f"    published in {time.monotonic() - started:.1f} s", flush=True)
    return server.url, server.root_sha256


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
