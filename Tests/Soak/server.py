# SPDX-License-Identifier: Apache-2.0
#
# A web server of a published tree and of settings, which fails at a rate. Handler threads call `respond`.
"""The server of a soak."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Self

from Servers.loopback import Ending, LoopbackServer, Request, Response
from Soak import content

FAULT_RATE = 0.12
"""The share of requests that are answered with a fault."""
FAULTS = ("slow", "cut", "status 500", "wrong signature", "older version")
PAUSE_SECONDS = 0.1
"""The pause between two of the ten pieces of a slow response."""
KEPT = 20
"""The number of earlier changesets, of which one is the answer "older version"."""
CHANGESET = f"/v2/buckets/main/collections/{content.COLLECTION}/changeset"
SETTINGS = "/settings.json"


class Server:
    """Serves a folder, and counts requests and faults."""

    def __init__(self, tree: Path, seed: int) -> None:
        self._tree = tree
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._earlier: list[bytes] = []
        self._server = LoopbackServer(self._respond)
        self.edition = 0
        self.requests = 0
        self.faults: Counter[str] = Counter()

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.stop()

    @property
    def url(self) -> str:
        return self._server.origin

    def published(self, edition: int) -> None:
        """A new edition is in the folder."""
        with self._lock:
            self.edition = edition
            self._earlier = [*self._earlier, (self._tree / CHANGESET[1:]).read_bytes()][-KEPT:]

    def _respond(self, request: Request) -> Response:
        body = self._body(request.path)
        if body is None:
            return Response(status=404)
        with self._lock:
            self.requests += 1
            fault = self._random.choice(FAULTS) if self._random.random() < FAULT_RATE else ""
            if fault in ("wrong signature", "older version") and request.path != CHANGESET:
                fault = "status 500"
            if fault:
                self.faults[fault] += 1
            older = self._random.choice(self._earlier)
        if fault == "wrong signature":
            body = _with_wrong_signature(body)
        elif fault == "older version":
            body = older
        return self._misbehave(fault, _honest(request, body))

    def _body(self, path: str) -> bytes | None:
        if path == SETTINGS:
            return json.dumps(content.settings(self.edition)).encode()
        file = self._tree / path.strip("/")
        if file.is_dir():
            file /= "index.json"
        return file.read_bytes() if file.is_file() else None

    def _misbehave(self, fault: str, honest: Response) -> Response:
        if fault == "status 500":
            return Response(status=500)
        if fault == "cut" and honest.body:
            size = len(honest.body)
            return replace(honest, body=honest.body[: size // 2], announced=size, ending=Ending.CLOSE)
        if fault == "slow" and honest.body:
            return replace(honest, stream=self._in_pieces(honest.body))
        return honest

    def _in_pieces(self, body: bytes) -> Iterator[bytes]:
        size = -(-len(body) // 10)
        for start in range(0, len(body), size):
            self._ended.wait(PAUSE_SECONDS)
            yield body[start : start + size]


def _honest(request: Request, body: bytes) -> Response:
    etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status=304, headers={"ETag": etag})
    start = int(request.headers.get("range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
    if 0 < start < len(body) and request.headers.get("if-range", etag) == etag:
        part = {"ETag": etag, "Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
        return Response(status=206, headers=part, body=body[start:])
    return Response(headers={"ETag": etag, "Content-Type": "application/json"}, body=body)


def _with_wrong_signature(body: bytes) -> bytes:
    """A changeset with a value that was never signed."""
    document = json.loads(body)
    document["changes"][0]["digest"] = "never signed"
    return json.dumps(document).encode()
