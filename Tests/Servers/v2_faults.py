# SPDX-License-Identifier: Apache-2.0
#
# Misbehaviour on the wire, for any route of the /v2 server: silence, stalls, cut and
# endless bodies, statuses, redirects. Lies about the content are in v2_lies.py.
"""Faults of the transport."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .loopback import Ending, Request, Response
from .v2_collection import Collection, Document

_BLOCK = b"a" * 65536
_BOMB_BLOCKS = 16384
"""A gigabyte after decoding, about a megabyte before."""


@dataclass
class Fault:
    """What a route does instead of its duty, `times` times or until it is cleared."""

    respond: Callable[[Request, Response], Response] | None = None
    """Replaces the honest response."""
    lie: Callable[[Collection, Document], Document] | None = None
    """Replaces the honest changeset; nothing on other routes."""
    times: int | None = None


def hang() -> Fault:
    """Accepts the request and never answers."""
    return Fault(respond=lambda _, __: Response(silent=True, ending=Ending.HANG))


def stall(at: int = 10) -> Fault:
    """Sends `at` bytes of the body, then nothing more, on an open connection."""
    return Fault(respond=lambda _, honest: _cut(honest, at, Ending.HANG))


def close(at: int = 10) -> Fault:
    """Sends `at` bytes of the body, then closes the connection."""
    return Fault(respond=lambda _, honest: _cut(honest, at, Ending.CLOSE))


def truncate(at: int) -> Fault:
    """Sends `at` bytes of the body and says that this is all of it."""
    return Fault(respond=lambda _, honest: replace(honest, body=honest.body[:at]))


def status(code: int, *, retry_after: str | None = None) -> Fault:
    """Answers with an error status; `retry_after` is seconds or an HTTP date."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Fault(respond=lambda _, __: Response(status=code, headers=dict(headers)))


def backoff(seconds: int) -> Fault:
    """Answers honestly, and asks to be left alone for some time."""
    return Fault(respond=lambda _, honest: replace(honest, headers={**honest.headers, "Backoff": str(seconds)}))


def redirect(location: str) -> Fault:
    """Redirects to a URL."""
    return Fault(respond=lambda _, __: Response(status=307, headers={"Location": location}))


def redirect_loop() -> Fault:
    """Redirects to the very URL that was asked for."""
    return Fault(respond=lambda request, _: Response(status=307, headers={"Location": request.target}))


def body(text: str, content_type: str = "application/json") -> Fault:
    """Answers 200 with some other body, such as a hotel's login page."""
    return Fault(respond=lambda _, __: Response(headers={"Content-Type": content_type}, body=text.encode()))


def gzip_bomb() -> Fault:
    """Streams a JSON string that is a thousand times larger than what is sent."""
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Fault(respond=lambda _, __: Response(headers=dict(headers), stream=_bomb()))


def endless() -> Fault:
    """Streams a JSON string that never ends."""
    headers = {"Content-Type": "application/json"}
    return Fault(respond=lambda _, __: Response(headers=dict(headers), stream=_endless()))


def _cut(honest: Response, at: int, ending: Ending) -> Response:
    return replace(honest, body=honest.body[:at], announced=len(honest.body), ending=ending)


def _bomb() -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    if first := packer.compress(b'"'):
        yield first
    for _ in range(_BOMB_BLOCKS):
        if packed := packer.compress(_BLOCK):
            yield packed
    yield packer.flush()


def _endless() -> Iterator[bytes]:
    yield b'"'
    while True:
        yield _BLOCK
