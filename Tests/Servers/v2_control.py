# SPDX-License-Identifier: Apache-2.0
#
# The /v2 server as a process of its own, driven by URLs: for tests that are not written
# in Python and for people with curl. POST /control/OPERATION with a JSON body.
"""Control URLs of the /v2 server."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import v2_faults, v2_lies
from .loopback import LoopbackServer, Request, Response
from .pki import make_pki
from .signing import Signer
from .v2_faults import Fault
from .v2_server import V2Server

Arguments = dict[str, Any]


class V2Control:
    """Operations on a server, served on a port of their own."""

    def __init__(self, server: V2Server, directory: Path) -> None:
        self._server = server
        self._directory = directory
        self._listener = LoopbackServer(self._respond)
        self._faults: dict[str, Callable[..., Fault]] = {
            "hang": v2_faults.hang,
            "stall": v2_faults.stall,
            "close": v2_faults.close,
            "truncate": v2_faults.truncate,
            "status": v2_faults.status,
            "backoff": v2_faults.backoff,
            "redirect": v2_faults.redirect,
            "redirect_loop": v2_faults.redirect_loop,
            "body": v2_faults.body,
            "gzip_bomb": v2_faults.gzip_bomb,
            "endless": v2_faults.endless,
            "forged_record": v2_lies.forged_record,
            "forged_timestamp": v2_lies.forged_timestamp,
            "wrong_signature": self._wrong_signature,
            "malformed_signature": v2_lies.malformed_signature,
            "decoy_signatures": v2_lies.decoy_signatures,
            "missing_signature": v2_lies.missing_signature,
            "chain_at": v2_lies.chain_at,
            "replay": v2_lies.replay,
            "equivocate": v2_lies.equivocate,
            "future": v2_lies.future,
        }
        self._operations: dict[str, Callable[..., Any]] = {
            "publish": lambda collection, records, bucket="main": self._collection(collection, bucket).publish(records),
            "delete": lambda collection, ids, bucket="main": self._collection(collection, bucket).delete(*ids),
            "re-sign": lambda collection, bucket="main": self._collection(collection, bucket).re_sign(),
            "fault": self._fault,
            "clear": server.clear_faults,
            "count": server.count,
            "stop": server.stop,
            "start": server.start,
        }

    @property
    def url(self) -> str:
        """The prefix of all operations."""
        return f"{self._listener.origin}/control"

    def start(self) -> None:
        """Listens."""
        self._listener.start()

    def stop(self) -> None:
        """Stops listening."""
        self._listener.stop()

    def _respond(self, request: Request) -> Response:
        operation = self._operations.get(request.path.removeprefix("/control/"))
        if operation is None or request.method != "POST":
            return _answer(404, {"error": "POST to one of", "operations": sorted(self._operations)})
        try:
            arguments: Arguments = json.loads(request.body or b"{}")
            return _answer(200, {"result": operation(**arguments)})
        except (TypeError, ValueError, KeyError) as error:
            return _answer(400, {"error": str(error)})

    def _collection(self, name: str, bucket: str) -> Any:
        return self._server.collection(name, bucket)

    def _fault(self, kind: str, route: str = "changeset", times: int | None = None, **arguments: Any) -> None:
        self._server.set_fault(route, self._faults[kind](**arguments), times)

    def _wrong_signature(self) -> Fault:
        return v2_lies.wrong_signature(Signer(make_pki(self._directory / "stranger").leaf_key))


def _answer(status: int, document: dict[str, Any]) -> Response:
    return Response(status, {"Content-Type": "application/json"}, json.dumps(document).encode() + b"\n")
