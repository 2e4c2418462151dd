# SPDX-License-Identifier: Apache-2.0
#
# Reports of the library, made from its structures while these are valid. They may be kept.
"""The state of a source, attempts to refresh it, and what syncs did."""

from __future__ import annotations

from ._ffi.calling import error_at, error_in
from .errors import CancelledError, error_from, timed_out
from .values import Origin, Outcome, SourceKind, Record, moment, seconds

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


class Attempt(Record):
    """One attempt to refresh a source, after its end. May be kept."""

    __slots__ = ("bytes", "duration", "error", "http_status", "kind", "outcome", "server", "source_name", "status")

    source_name: str
    """The name of the source: bucket and collection, as "main/regions", or its URL without query, with the name of a
    bundle or the tag of settings; "monitor/changes" when a sync asked the server's monitor."""
    server: str
    """The base URL of its server, or the origin of its URL."""
    kind: SourceKind
    """Its kind; COLLECTION for a monitor."""
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
        source_name=told.source_name.decode(),
        server=told.server.decode(),
        kind=SourceKind(told.kind),
        outcome=Outcome(told.outcome),
        status=error.name if error else "REMORA_OK",
        error=error,
        duration=told.duration_ms / 1000,
        bytes=told.bytes,
        http_status=told.http_status or None,
    )


class SyncItem(Record):
    """What a sync did for one source."""

    __slots__ = ("error", "kind", "outcome", "server", "source_name")

    source_name: str
    """The name of the source, as in `Attempt`."""
    server: str
    """The base URL of its server, or the origin of its URL."""
    kind: SourceKind
    """Its kind."""
    outcome: Outcome
    """UPDATED, UNCHANGED, NOT_NEWER or STAGED; REFUSED or FAILED with `error`."""
    error: Error | None
    """Why the outcome is REFUSED or FAILED; else None."""


class SyncReport(Record):
    """What a sync came to. May be kept."""

    __slots__ = ("error", "failed", "items", "staged", "total", "unchanged", "updated")

    total: int
    """Sources that were open: updated + unchanged + staged + failed."""
    updated: int
    """Sources with outcome UPDATED."""
    unchanged: int
    """With UNCHANGED or NOT_NEWER."""
    staged: int
    """With STAGED."""
    failed: int
    """With REFUSED or FAILED."""
    items: tuple[SyncItem, ...]
    """One per source, in the order of opening."""
    error: Error | None
    """The first failure, with the counts in its message; None when none failed."""

    def raise_for_failures(self) -> None:
        """Raises `error` when a source failed."""
        if self.error is not None:
            raise self.error


def report_from(told: structures.SyncReport) -> SyncReport:
    """The report that a callback of the library was given."""
    return SyncReport(
        total=told.total,
        updated=told.updated,
        unchanged=told.unchanged,
        staged=told.staged,
        failed=told.failed,
        items=tuple(_item(told.items[index]) for index in range(told.total)),
        error=error_at(told.error),
    )


def out_of_time(report: SyncReport, limit: float) -> SyncReport:
    """The same, of a sync that was cancelled because its time was over."""
    late = timed_out("sync", limit)
    items = tuple(
        SyncItem(source_name=one.source_name, server=one.server, kind=one.kind, outcome=one.outcome, error=late)
        if isinstance(one.error, CancelledError)
        else one
        for one in report.items
    )
    error = report.error
    if isinstance(error, CancelledError):
        error = error_from(late.status, f"{report.failed} of {report.total} sources failed: {late}")
    return SyncReport(
        total=report.total,
        updated=report.updated,
        unchanged=report.unchanged,
        staged=report.staged,
        failed=report.failed,
        items=items,
        error=error,
    )


def _item(told: structures.SyncItem) -> SyncItem:
    return SyncItem(
        source_name=told.source_name.decode(),
        server=told.server.decode(),
        kind=SourceKind(told.kind),
        outcome=Outcome(told.outcome),
        error=error_at(told.error),
    )
