# SPDX-License-Identifier: Apache-2.0
#
# Responds inside the library's call, on the thread `remora-engine`.
"""A server in memory."""

from __future__ import annotations

import json
import re
import threading
from urllib.parse import parse_qs, urlsplit

from .._ffi import hosts
from ..errors import NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Tuple

    Answer = Tuple[int, bytes, Tuple[bytes, ...]]
    """Status, body and header lines."""

CHANGESET = re.compile(r"/buckets/([^/]+)/collections/([^/]+)/changeset$")


class Server:
    """A server in memory. As the option `transport` of a client, it receives all requests of this client.

    May be used in any thread. The server does not sign, so open collections with trust="off". It serves no attachments.
    """

    url = "https://settings.test"
    """The URL of the server, for the option `server` of a client."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._collections: dict[tuple[str, str], tuple[int, list[dict[str, object]]]] = {}
        self._documents: dict[str, bytes] = {}
        self._failures: list[Answer] = []
        self._is_down = False
        self._requests: list[str] = []

    @property
    def requests(self) -> list[str]:
        """The URLs of all requests, the oldest first."""
        with self._lock:
            return list(self._requests)

    def publish(
        self, collection: str, records: Mapping[str, Mapping[str, object]], *, bucket: str = "main",
        timestamp: int | None = None,
    ) -> int:  # fmt: skip
        """Publishes a collection and returns its timestamp.

        `records` maps the id of each record to the record. The collection is listed in the monitor too, so that a sync
        finds it.

        - timestamp: the version in milliseconds since 1970, greater than the last; default the last version plus 1000.

        Raises ValueError if the timestamp is not greater, and TypeError or ValueError if the records cannot be written
        as JSON.
        """
        with self._lock:
            last, _ = self._collections.get((bucket, collection), (0, []))
            version = last + 1000 if timestamp is None else timestamp
            if version <= last:
                raise ValueError(f"timestamp must be greater than {last}, the last version of {bucket}/{collection}")
            copies: list[dict[str, object]] = json.loads(
                json.dumps([{**fields, "id": key, "last_modified": version} for key, fields in records.items()])
            )
            self._collections[bucket, collection] = version, copies
            return version

    def publish_document(self, url: str, document: Mapping[str, object]) -> None:
        """Publishes a document at a URL, such as settings or a bundle, for requests with any query or none.

        Raises TypeError or ValueError if the document cannot be written as JSON.
        """
        content = json.dumps(document).encode()
        with self._lock:
            self._documents[url] = content

    def fail_next(self, status: int, *, retry_after: int | None = None, times: int = 1) -> None:
        """Makes the next `times` requests fail with an HTTP status, and Retry-After: `retry_after` (seconds).

        Raises ValueError if the status is not from 200 to 599.
        """
        if not 200 <= status <= 599:
            raise ValueError(f"status must be from 200 to 599, not {status}")
        headers = () if retry_after is None else (b"Retry-After: %d" % retry_after,)
        with self._lock:
            self._failures += [(status, b"", headers)] * times

    def down(self) -> None:
        """Makes the server unavailable: requests fail with NetworkError until `up`."""
        with self._lock:
            self._is_down = True

    def up(self) -> None:
        """Makes the server available again."""
        with self._lock:
            self._is_down = False

    def _add_to(self, config: Any) -> None:
        hosts.set_transport(config, self._receive)

    def _receive(self, request: int, address: bytes) -> None:
        url = address.decode()
        with self._lock:
            self._requests.append(url)
            answer: Answer | None = None
            if not self._is_down:
                answer = self._failures.pop(0) if self._failures else self._answer(url)
        try:
            if answer is None:
                hosts.refuse(request, b"the test server is down")
            else:
                hosts.respond(request, *answer)
        except NotFoundError:
            pass  # The request was cancelled, or its client was closed, since it arrived.

    def _answer(self, url: str) -> Answer:
        parts = urlsplit(url)
        found = CHANGESET.search(parts.path)
        place = found.groups() if found else ("", "")
        if place in self._collections:
            version, records = self._collections[place[0], place[1]]
        elif place == ("monitor", "changes"):
            records = self._listed()
            version = max((version for version, _ in self._collections.values()), default=1)
        else:
            content = self._documents.get(url, self._documents.get(url.partition("?")[0]))
            return (404, b"", ()) if content is None else (200, content, ())
        since = parse_qs(parts.query).get("_since", [""])[0].strip('"')
        if since and since != str(version):
            return 307, b"", (b"Location: " + url.partition("?")[0].encode(),)
        metadata = {"bucket": place[0], "id": place[1]}
        changes = [] if since else records
        return 200, json.dumps({"metadata": metadata, "timestamp": version, "changes": changes}).encode(), ()

    def _listed(self) -> list[dict[str, object]]:
        return [
            {"id": f"{bucket}-{name}", "last_modified": version, "bucket": bucket, "collection": name}
            for (bucket, name), (version, _) in self._collections.items()
        ]
