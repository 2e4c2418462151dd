# SPDX-License-Identifier: Apache-2.0
#
# A collection in a file, served as by `python3 -m http.server`, which ignores `_since` and sends no ETag.
"""Collections on a server of static files."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.hosts import Hosts

COLLECTION = "v2/buckets/main/collections/c/changeset"


class Files:
    """A folder behind a port, and the requests for its files."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        self._file = folder / COLLECTION
        self._file.parent.mkdir(parents=True)
        requests = self.requests

        class Handler(SimpleHTTPRequestHandler):
            def log_request(self, code: Any = "-", size: Any = "-") -> None:
                requests.append(self.path.removeprefix(f"/{COLLECTION}"))

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder))
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v2"

    def write(self, timestamp: int, **changed: int) -> None:
        """The collection has these records from now on, with the time of their last change."""
        changes = [{"id": key, "last_modified": at} for key, at in changed.items()]
        self._file.write_text(json.dumps({"timestamp": timestamp, "metadata": {}, "changes": changes}))

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    served = Files(tmp_path / "www")
    yield served
    served.stop()


def test_deleted_records_disappear_and_each_refresh_downloads_the_file_once(files: Files, hosts: Hosts) -> None:
    host = hosts.setup(server=files.url)
    host.succeed("open", "collection", "c", trust="off")
    files.write(2000, a=1000, b=2000)
    host.update()
    files.write(3000, b=2000, c=3000)
    host.update()
    assert set(host.values()) == {"b", "c"}
    files.write(4000, c=3000)
    host.update()
    assert set(host.values()) == {"c"}
    assert host.refresh()["outcome"] == "unchanged"
    assert files.requests == ["?_expected=0", "?_expected=0&_since=2000", "?_expected=0", "?_expected=0"]
