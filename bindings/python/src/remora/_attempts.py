# SPDX-License-Identifier: Apache-2.0
"""Attempts: what refreshes came to, and what they cost."""

from __future__ import annotations

from ._enums import Outcome
from ._ffi.calling import error_at
from ._receivers import EarlyReceiver
from ._record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._ffi import structures
    from .errors import Error


class Attempt(Record):
    """One attempt to refresh a source, after its end. May be kept."""

    __slots__ = ("bucket", "bytes", "duration", "error", "http_status", "name", "outcome", "server", "status")

    server: str
    """The base URL of the source's server, ending in /v1 or /v2."""
    bucket: str
    """Its bucket; "monitor" when a sync asked the server's monitor."""
    name: str
    """Its collection; "changes" for the monitor."""
    outcome: Outcome
    """What the attempt did; UPDATED when a monitor answered."""
    status: str
    """The name of the status, such as "REMORA_OK" or "REMORA_ERR_TLS"."""
    error: Error | None
    """Why it failed or was refused; else None."""
    duration: float
    """Seconds from its beginning to its end; 0 when a monitor spared the request."""
    bytes: int
    """Of all bodies that came, decoded."""
    http_status: int | None
    """Of the answer to the last request; None when none came or was asked for."""


def attempt_from(told: structures.Attempt) -> Attempt:
    """The attempt that a callback of the library was given."""
    error = error_at(told.error)
    return Attempt(
        server=told.server.decode(),
        bucket=told.bucket.decode(),
        name=told.name.decode(),
        outcome=Outcome(told.outcome),
        status=error.name if error else "REMORA_OK",
        error=error,
        duration=told.duration_ms / 1000,
        bytes=told.bytes,
        http_status=told.http_status or None,
    )


class AttemptReceiver(EarlyReceiver):
    """Of attempts."""

    __slots__ = ()

    def read(self, *told: Any) -> tuple[Attempt]:
        return (attempt_from(told[0]),)
