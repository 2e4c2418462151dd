# SPDX-License-Identifier: Apache-2.0
#
# Static documents, as any web server has them: what a test asks of such a server, and the one of our own. With each
# document comes an ETag, with 304 is answered who has it already, and compressed is what may be.
"""Servers of static documents."""

from __future__ import annotations

import gzip
import hashlib
from typing import Protocol

from Servers.bundle_server import SCHEMA, BundleServer
from Servers.loopback import Exchange, Request, Response

FRESH = "/fresh"
"""What is below may be kept for ten minutes."""
STALE = "/stale"
"""What is below may be kept for no time. Of what is elsewhere nothing is said."""
MAX_AGE = {FRESH: 600, STALE: 0}


class StaticServer(Protocol):
    """Documents at paths, and 404 elsewhere."""

    @property
    def origin(self) -> str:
        """Its scheme, address and port."""

    def url(self, path: str = "/bundle.json") -> str:
        """The URL of a path."""

    def publish(self, version: object, *elements: object, path: str = "/bundle.json", schema: str = SCHEMA) -> None:
        """A bundle is there from now on."""

    def say(self, body: bytes, path: str = "/bundle.json") -> None:
        """These bytes are there from now on, with another ETag than what was there before."""

    def fail(self) -> None:
        """Every answer is a 500 from now on."""

    def start(self) -> None:
        """Again, at the same address."""

    def stop(self) -> None:
        """Nobody is at the address any more."""

    @property
    def requests(self) -> list[Request]:
        """All of them, in their order."""

    @property
    def exchanges(self) -> list[Exchange]:
        """The same, with their answers."""


class RecordingStaticServer(BundleServer):
    """The one of our own."""

    def __init__(self) -> None:
        super().__init__()
        self._edition = 0

    def say(self, body: bytes, path: str = "/bundle.json") -> None:
        self._edition += 1
        etag = f'"{self._edition}-{hashlib.sha256(body).hexdigest()[:8]}"'
        self.answer(lambda request: _answer(request, body, etag), path)


def _answer(request: Request, body: bytes, etag: str) -> Response:
    headers = {"ETag": etag}
    headers |= {"Cache-Control": f"max-age={age}" for below, age in MAX_AGE.items() if request.path.startswith(below)}
    if request.headers.get("if-none-match") == etag:
        return Response(status=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(headers={**headers, "Content-Encoding": "gzip"}, body=gzip.compress(body))
    return Response(headers=headers, body=body)
