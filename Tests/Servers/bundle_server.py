# SPDX-License-Identifier: Apache-2.0
#
# A server of bundles: one document for each path, which a test replaces at will. It records every request.
"""A small server of remote configurations."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Self

from Servers.loopback import Exchange, LoopbackServer, Request, Response

SCHEMA = "http://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0"

Element = dict[str, object]
Answer = Response | Callable[[Request], Response]


def element(namespace: str, **sections: object) -> Element:
    """An element with a network configuration, and further sections without their `Configuration`."""
    named = {f"{name}Configuration": section for name, section in sections.items()}
    return {"namespace": namespace, "networkConfiguration": {"endpoint": f"https://{namespace}.example"}, **named}


def removal(namespace: str, **sections: object) -> Element:
    """An element without a network configuration."""
    made = element(namespace, **sections)
    del made["networkConfiguration"]
    return made


def bundle(version: object, *elements: object, schema: str = SCHEMA) -> bytes:
    """A whole document."""
    return json.dumps(
        {"$schema": schema, "configurationVersion": version, "configurationBundle": list(elements)}
    ).encode()


class BundleServer(LoopbackServer):
    """Answers each path with what was said last; 404 until then."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}
        self._requests: list[Request] = []
        self._exchanges: list[Exchange] = []
        self._is_failing = False
        self._lock = threading.Lock()
        super().__init__(self._respond)

    def __enter__(self) -> Self:
        self.start()
        return self

    def url(self, path: str = "/bundle.json") -> str:
        """The URL of a path."""
        return self.origin + path

    def publish(self, version: object, *elements: object, path: str = "/bundle.json", schema: str = SCHEMA) -> None:
        """Answers with a bundle."""
        self.say(bundle(version, *elements, schema=schema), path)

    def say(self, body: bytes, path: str = "/bundle.json") -> None:
        """Answers with these bytes."""
        self.answer(Response(body=body), path)

    def answer(self, answer: Answer, path: str = "/bundle.json") -> None:
        """Answers with a response, or with what a function gives for the request."""
        with self._lock:
            self._answers[path] = answer

    def fail(self) -> None:
        """Answers everything with 500."""
        self._is_failing = True

    @property
    def requests(self) -> list[Request]:
        """All of them, in their order."""
        with self._lock:
            return list(self._requests)

    @property
    def exchanges(self) -> list[Exchange]:
        """The same with their answers, in the order of these."""
        with self._lock:
            return list(self._exchanges)

    def _respond(self, request: Request) -> Response:
        with self._lock:
            self._requests.append(request)
            answer = self._answers.get(request.path, Response(status=404))
        response = answer(request) if callable(answer) else answer
        if self._is_failing:
            response = Response(status=500)
        asked = request.headers.get("if-none-match", "")
        with self._lock:
            self._exchanges.append(Exchange(asked, response.status, response.headers.get("Content-Encoding", "")))
        return response
