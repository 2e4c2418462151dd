# SPDX-License-Identifier: Apache-2.0
#
# A server of settings: one dictionary, which a test replaces, and answers that it holds back.
"""Settings on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator

from Servers.bundle_server import BundleServer
from Servers.loopback import Request, Response

PATH = "/settings"
_MOST_SECONDS = 60


class Held:
    """An answer that has begun, and whose end is held back."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._released = threading.Event()
        self.broken = threading.Event()
        """Set when the client no longer wants it."""

    def release(self) -> None:
        """Sends the rest, too late or not."""
        self._released.set()

    def answer(self, _: Request) -> Response:
        """Returns the response."""
        return Response(stream=self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        try:
            for _ in range(_MOST_SECONDS * 100):
                yield b" "
                if self._released.wait(0.01):
                    break
            yield self._body
        except GeneratorExit:
            self.broken.set()
            raise


class SettingsServer(BundleServer):
    """A server of one dictionary."""

    def url(self, path: str = PATH) -> str:
        return super().url(path)

    def serve(self, **values: object) -> None:
        """Answers with these values."""
        self.say(json.dumps(values).encode(), PATH)

    def hold(self, **values: object) -> Held:
        """Starts to answer with these values; the test decides when the response ends."""
        held = Held(json.dumps(values).encode())
        self.answer(held.answer, PATH)
        return held
