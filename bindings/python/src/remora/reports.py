# SPDX-License-Identifier: Apache-2.0
#
# Reports of the library, made from its structures while these are valid. They may be kept.
"""The state of a source, attempts to refresh it, and the results of syncs."""

from __future__ import annotations

from ._ffi.calling import error_at, error_in
from ._runtime.data import Record
from .values import Origin, Outcome, SourceKind, moment, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ._ffi import callbacks, structures
    from .errors import Error


class SourceInfo(Record):
    """The state of a source at the moment it was asked for. Moments are aware datetimes in UTC, durations seconds."""

    __slots__ = (
        "_attempted_ms",
        "_checked_ms",
        "_fetched_ms",
        "checked_age",
        "filter_failures",
        "generation",
        "has_staged",
        "kind",
        "last_error",
        "name",
        "origin",
        "retry_after",
        "server",
        "storage_error",
        "version",
    )

    name: str
    """Bucket and collection, such as "main/regions", or the URL without query, with the tag or the name of a bundle."""
    server: str
    """The base URL of its server, or the origin of its URL; "" for a bundle without one."""
    kind: SourceKind
    """Its kind."""
    origin: Origin
    """The origin of the live snapshot."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or a bundle's version; 0 without data."""
    checked_age: float | None
    """Seconds since the last successful refresh by any process; None before the first."""
    retry_after: float | None
    """Seconds that the server's backoff still lasts; None without one."""
    generation: int
    """Increases with every stored image of this source."""
    has_staged: bool
    """Whether a newer version waits for its activation."""
    filter_failures: int
    """Number of records that are hidden because their filter failed; the log names one of each."""
    last_error: Error | None
    """Of the last refresh; None if it succeeded."""
    storage_error: Error | None
    """The last failure of storage or cache, until one succeeds; else None."""
    _attempted_ms: int
    _checked_ms: int
    _fetched_ms: int

    @property
    def fetched_at(self) -> datetime | None:
        """When the live data was fetched; None if it was not."""
        return moment(self._fetched_ms)

    @property
    def checked_at(self) -> datetime | None:
        """The last successful refresh by any process; None before the first."""
        return moment(self._checked_ms)

    @property
    def attempted_at(self) -> datetime | None:
        """The last attempt by any process; None before the first."""
        return moment(self._attempted_ms)


def info_from(filled: structures.SourceInfo) -> SourceInfo:
    """Makes a state of the library's structure."""
    return SourceInfo(
        name=filled.name.decode(),
        server=filled.server.decode(),
        kind=SourceKind(filled.kind),
        origin=Origin(filled.origin),
        version=filled.version,
        checked_age=seconds(filled.checked_age_ms),
        retry_after=seconds(filled.retry_after_ms) if filled.retry_after_ms else None,
        generation=filled.generation,
        has_staged=bool(filled.has_staged),
        filter_failures=filled.filter_failures,
        last_error=error_in(filled.last_error),
        storage_error=error_in(filled.storage_error),
        _attempted_ms=filled.attempted_at_ms,
        _checked_ms=filled.checked_at_ms,
        _fetched_ms=filled.fetched_at_ms,
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
    """The outcome of the attempt; UPDATED when a monitor answered."""
    status: str
    """The name of the status, such as "REMORA_OK" or "REMORA_ERR_TLS"."""
    error: Error | None
    """Why it failed or was refused; else None."""
    duration: float
    """Seconds from its beginning to its end; 0 if a monitor made the request unnecessary."""
    bytes: int
    """Size of all received bodies, decoded."""
    http_status: int | None
    """Status of the response to the last request; None without a response or request."""


def attempt_from(filled: callbacks.Attempt) -> Attempt:
    """Makes an attempt of the library's structure."""
    error = error_at(filled.error)
    return Attempt(
        source_name=filled.source_name.decode(),
        server=filled.server.decode(),
        kind=SourceKind(filled.kind),
        outcome=Outcome(filled.outcome),
        status=error.name if error else "REMORA_OK",
        error=error,
        duration=filled.duration_ms / 1000,
        bytes=filled.bytes,
        http_status=filled.http_status or None,
    )


class SyncItem(Record):
    """The result of a sync for one source."""

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
    """The result of a sync. May be kept."""

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
    """The first failure, with the counts in its message; None without a failure."""

    def raise_for_failures(self) -> None:
        """Raises `error` when a source failed."""
        if self.error is not None:
            raise self.error


def report_from(filled: callbacks.SyncReport) -> SyncReport:
    """Makes a report of the library's structure."""
    return SyncReport(
        total=filled.item_count,
        updated=filled.updated,
        unchanged=filled.unchanged,
        staged=filled.staged,
        failed=filled.failed,
        items=tuple(_item(filled.items[index]) for index in range(filled.item_count)),
        error=error_at(filled.error),
    )


def _item(filled: callbacks.SyncItem) -> SyncItem:
    return SyncItem(
        source_name=filled.source_name.decode(),
        server=filled.server.decode(),
        kind=SourceKind(filled.kind),
        outcome=Outcome(filled.outcome),
        error=error_at(filled.error),
    )
