# SPDX-License-Identifier: Apache-2.0
#
# A front of another server, as a cache would stand there: counts what comes through, and
# fails where a test says so.
"""A counting proxy."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from types import TracebackType

from Servers.loopback import LoopbackServer, Request, Response


class Proxy:
    """Passes requests on to `origin`, which is a URL without a path."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._listener = LoopbackServer(self._respond)
        self._lock = threading.Lock()
        self._targets: list[str] = []
        self.failing: str | None = None
        """Requests whose path contains this are answered 500."""

    @property
    def origin(self) -> str:
        """What stands in for the other server's origin."""
        return self._listener.origin

    def take(self) -> list[str]:
        """The targets since the last call, without their common beginning, in order."""
        with self._lock:
            targets, self._targets = self._targets, []
        return [target.split("/buckets/")[-1] for target in targets]

    def stop(self) -> None:
        """Refuses connections, as a server that is down."""
        self._listener.stop()

    def start(self) -> None:
        """Listens; after `stop` on the same port again."""
        self._listener.start()

    def __enter__(self) -> Proxy:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _respond(self, request: Request) -> Response:
        with self._lock:
            self._targets.append(request.target)
        if self.failing is not None and self.failing in request.path:
            return Response(500)
        passed = urllib.request.Request(self._origin + request.target, headers={"User-Agent": "proxy"})
        try:
            with urllib.request.urlopen(passed, timeout=20) as answer:
                return Response(answer.status, {"Content-Type": "application/json"}, answer.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, {"Content-Type": "application/json"}, error.read())
