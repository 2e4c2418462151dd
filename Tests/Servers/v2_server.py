# SPDX-License-Identifier: Apache-2.0
#
# A Remote Settings server of the /v2 shape (as Mozilla's git-reader speaks it), signing
# for itself, in a thread of the test. Without a chain it signs nothing.
"""The /v2 server."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import threading
import uuid
from collections import Counter
from dataclasses import replace
from urllib.parse import unquote, urlencode

from .loopback import LoopbackServer, Request, Response
from .pki import SIGNER, Pki
from .signing import Signer
from .v2_attachments import Attachments
from .v2_collection import Collection, Document, UnknownSinceError
from .v2_faults import Fault

ROOT, MONITOR, CHANGESET, CHAIN, ATTACHMENT = "root", "monitor", "changeset", "chain", "attachment"
UNKNOWN = "unknown"

_ATTACHMENTS = "/v2/attachments/"
_CHAIN_PATH = f"/v2/cert-chains/chains/{SIGNER}.chain"


class V2Server:
    """Collections, faults and counters behind one loopback port."""

    def __init__(self, pki: Pki | None, port: int = 0) -> None:
        self._pki = pki
        self._signer = Signer(pki.leaf_key) if pki else None
        self._listener = LoopbackServer(self._respond, port)
        self._lock = threading.Lock()
        self._collections: dict[tuple[str, str], Collection] = {}
        self._faults: dict[str, Fault] = {}
        self._counts: Counter[str] = Counter()
        self.requests: list[Request] = []
        self.attachments = Attachments()
        """By their locations; given out whole or by ranges."""

    @property
    def url(self) -> str:
        """What a client is configured with."""
        return f"{self._listener.origin}/v2"

    @property
    def connections(self) -> int:
        """How many connections were accepted since the last start."""
        return self._listener.connections

    def start(self) -> None:
        """Listens; after `stop` on the same port again, with all collections."""
        self._listener.start()

    def stop(self) -> None:
        """Refuses and breaks connections."""
        self._listener.stop()

    def __enter__(self) -> V2Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def collection(self, name: str, bucket: str = "main") -> Collection:
        """The collection of that name, made empty when it is new. The server must have been started."""
        with self._lock:
            key = (bucket, name)
            if key not in self._collections:
                chain_url = self._listener.origin + _CHAIN_PATH
                self._collections[key] = Collection(bucket, name, self._signer, chain_url)
            return self._collections[key]

    def rotate(self, pki: Pki) -> None:
        """Signs everything anew, with the chain of another root."""
        with self._lock:
            self._pki = pki
            self._signer = Signer(pki.leaf_key)
            for collection in self._collections.values():
                collection.rotate(self._signer)

    def set_fault(self, route: str, fault: Fault, times: int | None = None) -> None:
        """Lets a route misbehave from its next request on."""
        with self._lock:
            self._faults[route] = replace(fault, times=times)

    def clear_faults(self) -> None:
        """Lets every route do its duty again."""
        with self._lock:
            self._faults.clear()

    def count(self, route: str) -> int:
        """How many requests a route has had."""
        with self._lock:
            return self._counts[route]

    def _respond(self, request: Request) -> Response:
        route = _route(request)
        with self._lock:
            self._counts[route] += 1
            self.requests.append(request)
            fault = self._take_fault(route)
        response = self._answer(route, request, fault)
        return fault.respond(request, response) if fault.respond else response

    def _take_fault(self, route: str) -> Fault:
        fault = self._faults.get(route)
        if fault is None:
            return Fault()
        if fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                del self._faults[route]
        return fault

    def _answer(self, route: str, request: Request, fault: Fault) -> Response:
        if route == ROOT:
            base_url = f"{self._listener.origin}{_ATTACHMENTS}"
            return _json(request, {"project_version": "0.0.1", "capabilities": {"attachments": {"base_url": base_url}}})
        if route == CHAIN and self._pki:
            return Response(headers={"Content-Type": "text/plain; charset=utf-8"}, body=self._pki.chain_pem.encode())
        if route == ATTACHMENT:
            return _attachment(request, self.attachments)
        if route == MONITOR:
            return _json(request, self._monitor())
        if route == CHANGESET:
            return self._changeset(request, fault)
        return _error(404, "no such resource")

    def _monitor(self) -> Document:
        with self._lock:
            collections = sorted(self._collections.values(), key=lambda one: -one.timestamp)
        changes = [
            {
                "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{one.bucket}/{one.name}")),
                "bucket": one.bucket,
                "collection": one.name,
                "host": self._listener.origin.removeprefix("http://"),
                "last_modified": one.timestamp,
            }
            for one in collections
        ]
        newest = changes[0]["last_modified"] if changes else 0
        return {"timestamp": newest, "metadata": {"bucket": "monitor"}, "changes": changes}

    def _changeset(self, request: Request, fault: Fault) -> Response:
        _, _, _, bucket, _, name, _ = request.path.split("/")
        collection = self._collections.get((bucket, name))
        query = request.query
        if collection is None:
            return _error(404, "no such collection")
        if "_expected" not in query or not query.get("_since", "0").isdigit():
            return _error(422, "_expected is required and _since is a bare integer")
        since = int(query["_since"]) if "_since" in query else None
        if since and 0 < int(query["_expected"]) < since:
            return _error(400, "_expected must not be below _since")
        try:
            document = collection.changeset(since)
        except UnknownSinceError:
            plain = urlencode({key: value for key, value in query.items() if key != "_since"})
            return Response(307, {"Location": f"{self._listener.origin}{request.path}?{plain}"})
        return _json(request, fault.lie(collection, document) if fault.lie else document)


def _route(request: Request) -> str:
    parts = request.path.strip("/").split("/")
    if parts == ["v2"]:
        return ROOT
    if request.path == _CHAIN_PATH:
        return CHAIN
    if request.path.startswith(_ATTACHMENTS):
        return ATTACHMENT
    if len(parts) == 6 and parts[1] == "buckets" and parts[3] == "collections" and parts[5] == "changeset":
        return MONITOR if (parts[2], parts[4]) == ("monitor", "changes") else CHANGESET
    return UNKNOWN


def _attachment(request: Request, attachments: dict[str, bytes]) -> Response:
    """An attachment, or the rest of it behind `Range: bytes=N-`."""
    body = attachments.get(unquote(request.path).removeprefix(_ATTACHMENTS))
    if body is None:
        return Response(404)
    headers = {"Content-Type": "application/octet-stream", "Accept-Ranges": "bytes"}
    asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("range", ""))
    if asked is None:
        return Response(200, headers, body)
    first = int(asked.group(1))
    if first >= len(body):
        return Response(416, {"Content-Range": f"bytes */{len(body)}"})
    return Response(206, {**headers, "Content-Range": f"bytes {first}-{len(body) - 1}/{len(body)}"}, body[first:])


def _error(status: int, detail: str) -> Response:
    body = json.dumps({"detail": detail}).encode()
    return Response(status, {"Content-Type": "application/json"}, body)


def _json(request: Request, document: Document) -> Response:
    """A document with its ETag, compressed when the client can; 304 when it has it."""
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"Content-Type": "application/json", "Cache-Control": "max-age=60", "ETag": etag}
    if request.headers.get("if-none-match") == etag:
        return Response(304, headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(200, {**headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}, gzip.compress(body))
    return Response(200, headers, body)
