# SPDX-License-Identifier: Apache-2.0
"""The state of a source."""

from __future__ import annotations

from ._enums import Origin
from ._ffi.calling import error_in
from ._record import Record
from ._time import moment, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ._ffi import structures
    from .errors import Error


class SourceInfo(Record):
    """The state of a source at the moment it was asked for. Moments are aware datetimes in UTC, durations seconds."""

    __slots__ = (
        "_fetched_ms",
        "_last_attempt_ms",
        "_last_success_ms",
        "age",
        "filter_failures",
        "generation",
        "last_error",
        "origin",
        "pending",
        "retry_after",
        "storage_error",
        "version",
    )

    origin: Origin
    """Where the live values come from."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or a bundle's version; 0 when there is none."""
    age: float | None
    """Seconds since the last successful refresh by anyone; None when never."""
    retry_after: float | None
    """Seconds that the server's backoff still lasts; None when there is none."""
    generation: int
    """Grows with every stored image of this source."""
    pending: bool
    """Whether something newer is staged, and waits for its activation."""
    filter_failures: int
    """Records that are hidden because their filter fails; the log names one of each."""
    last_error: Error | None
    """Of the last refresh; None when it succeeded."""
    storage_error: Error | None
    """The last failure of storage or cache, until one succeeds; else None."""
    _fetched_ms: int
    _last_attempt_ms: int
    _last_success_ms: int

    @property
    def fetched_at(self) -> datetime | None:
        """When the live data was fetched; None when never."""
        return moment(self._fetched_ms)

    @property
    def last_success(self) -> datetime | None:
        """When anyone last refreshed with success; None when never."""
        return moment(self._last_success_ms)

    @property
    def last_attempt(self) -> datetime | None:
        """When anyone last tried; None when never."""
        return moment(self._last_attempt_ms)


def info_from(told: structures.SourceInfo) -> SourceInfo:
    """The state that the library has filled in."""
    return SourceInfo(
        origin=Origin(told.origin),
        version=told.version,
        age=seconds(told.age_ms),
        retry_after=seconds(told.retry_after_ms) if told.retry_after_ms else None,
        generation=told.generation,
        pending=bool(told.pending),
        filter_failures=told.filter_failures,
        last_error=error_in(told.last_error),
        storage_error=error_in(told.storage_error),
        _fetched_ms=told.fetched_at_ms,
        _last_attempt_ms=told.last_attempt_ms,
        _last_success_ms=told.last_success_ms,
    )
