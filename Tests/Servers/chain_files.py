# SPDX-License-Identifier: Apache-2.0
#
# The small HTTP server beside Kinto: serves the certificate chain and the folder of
# attachments, which Mozilla has on other hosts too. Can fail on demand.
"""Static files next to Kinto."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from .loopback import LoopbackServer, Request, Response


class ChainFiles:
    """`/chain.pem` and `/attachments/…` on a loopback port."""

    def __init__(self, chain_pem: str, attachments: Path) -> None:
        self._chain = chain_pem.encode()
        self._attachments = attachments.resolve()
        self._listener = LoopbackServer(self._respond)
        self.failing_status: int | None = None
        """When set, every request gets this status."""
        self.chain_requests = 0

    @property
    def chain_url(self) -> str:
        """The x5u of signatures."""
        return f"{self._listener.origin}/chain.pem"

    @property
    def attachments_url(self) -> str:
        """The base_url that Kinto announces."""
        return f"{self._listener.origin}/attachments/"

    def start(self) -> None:
        """Listens; after `stop` on the same port again."""
        self._listener.start()

    def stop(self) -> None:
        """Refuses connections."""
        self._listener.stop()

    def _respond(self, request: Request) -> Response:
        if request.path == "/chain.pem":
            self.chain_requests += 1
        if self.failing_status is not None:
            return Response(self.failing_status)
        if request.path == "/chain.pem":
            return Response(headers={"Content-Type": "application/x-pem-file"}, body=self._chain)
        file = (self._attachments / unquote(request.path).removeprefix("/attachments/")).resolve()
        if file.is_relative_to(self._attachments) and file.is_file():
            return Response(headers={"Content-Type": "application/octet-stream"}, body=file.read_bytes())
        return Response(404)
