# SPDX-License-Identifier: Apache-2.0
#
# Reports of the library, made from its structures while these are valid. The reports may be kept.
"""The state of a source, attempts to refresh it, and the results of syncs."""

from __future__ import annotations

from ._ffi.calling import error_at, error_in
from ._runtime.data import Record
from .values import Freshness, Origin, Outcome, SourceKind, moment, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from ._ffi import callbacks, structures
    from .errors import Error


class SourceInfo(Record):
    """The state of a source, as `info` returns it. Times are aware datetimes in UTC, and durations are seconds."""

    __slots__ = (
        "_attempted_ms",
        "_checked_ms",
        "_fetched_ms",
        "checked_age",
        "filter_failures",
        "freshness",
        "generation",
        "has_staged",
        "kind",
        "last_error",
        "name",
        "origin",
        "rejected_version",
        "retry_after",
        "server",
        "storage_error",
        "version",
    )

    name: str
    """For collections, bucket and name, as in "main/regions"; else the URL without query, plus tag or bundle name."""
    server: str
    """For collections, the server's base URL; else scheme, host and port of the URL, or "" if a bundle has no URL."""
    kind: SourceKind
    origin: Origin
    """The origin of the live snapshot."""
    version: int
    """The live version: a timestamp in milliseconds since 1970, or a bundle's version; 0 without data."""
    checked_age: float | None
    """Seconds since the last successful refresh by any process; NOT_NEWER does not count. None before the first one."""
    retry_after: float | None
    """Seconds until the pause that the server asked for ends; None without a pause."""
    generation: int
    """A number that increases each time data of this source is stored."""
    has_staged: bool
    """Whether a newer version is staged (stored for later)."""
    filter_failures: int
    """The number of records that are hidden because their filter cannot be evaluated. The log names these records."""
    last_error: Error | None
    """The error of the last refresh; None if it succeeded."""
    storage_error: Error | None
    """The last storage failure, such as a full disk; None if the last storage operation succeeded."""
    freshness: Freshness
    """Whether the last successful refresh is recent enough."""
    rejected_version: int | None
    """The newest version that `Source.reject` has rejected, in any process; None if no version was rejected."""
    _attempted_ms: int
    _checked_ms: int
    _fetched_ms: int

    @property
    def fetched_at(self) -> datetime | None:
        """The time when the live data was fetched; None if it was not fetched."""
        return moment(self._fetched_ms)

    @property
    def checked_at(self) -> datetime | None:
        """The time of the last successful refresh by any process; NOT_NEWER does not count. None before the first."""
        return moment(self._checked_ms)

    @property
    def attempted_at(self) -> datetime | None:
        """The time of the last refresh attempt by any process; None before the first."""
        return moment(self._attempted_ms)


def info_from(filled: structures.SourceInfo) -> SourceInfo:
    """Creates a `SourceInfo` from the library's structure."""
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
        freshness=Freshness(filled.freshness),
        rejected_version=filled.rejected_version or None,
        _attempted_ms=filled.attempted_at_ms,
        _checked_ms=filled.checked_at_ms,
        _fetched_ms=filled.fetched_at_ms,
    )


class Attempt(Record):
    """The outcome and the cost of one attempt to refresh a source. May be kept."""

    __slots__ = ("bytes", "duration", "error", "http_status", "kind", "outcome", "server", "source_name", "status")

    source_name: str
    """The name of the source, as in `SourceInfo`, such as "main/regions"; "monitor/changes" if a sync has requested the
    monitor, the server's list of collections."""
    server: str
    """The server, as in `SourceInfo`."""
    kind: SourceKind
    """The kind of the source; COLLECTION for a monitor."""
    outcome: Outcome
    """The outcome of the attempt; UPDATED for a response of a monitor."""
    status: str
    """The name of Remora's status, such as "REMORA_OK" or "REMORA_ERR_TLS"."""
    error: Error | None
    """The reason for the outcome REFUSED or FAILED; otherwise None."""
    duration: float
    """The duration in seconds; 0 if no request was sent, because the monitor listed no change."""
    bytes: int
    """The size of all received bodies, decoded."""
    http_status: int | None
    """The HTTP status of the last response; None without a response."""


def attempt_from(filled: callbacks.Attempt) -> Attempt:
    """Creates an `Attempt` from the library's structure."""
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
    """The server, as in `SourceInfo`."""
    kind: SourceKind
    outcome: Outcome
    """UPDATED, UNCHANGED, NOT_NEWER, STAGED, or NONE because of `only_if_empty`; REFUSED or FAILED with `error`."""
    error: Error | None
    """The reason for the outcome REFUSED or FAILED; otherwise None."""


class SyncReport(Record):
    """The result of a sync. May be kept."""

    __slots__ = ("error", "failed", "items", "staged", "total", "unchanged", "updated")

    total: int
    """The number of open sources, except bundles without a URL: updated + unchanged + staged + failed."""
    updated: int
    """The number of sources with outcome UPDATED."""
    unchanged: int
    """The number of sources with outcome UNCHANGED or NOT_NEWER, or NONE because of `only_if_empty`."""
    staged: int
    """The number of sources with outcome STAGED."""
    failed: int
    """The number of sources with outcome REFUSED or FAILED."""
    items: tuple[SyncItem, ...]
    """The results of the sources, in the order of opening."""
    error: Error | None
    """The first failure, with the counts in its message; None if no source failed."""

    def raise_for_failures(self) -> None:
        """Raises `error` if a source failed."""
        if self.error is not None:
            raise self.error


def report_from(filled: callbacks.SyncReport) -> SyncReport:
    """Creates a `SyncReport` from the library's structure."""
    return SyncReport(
        total=filled.item_count,
        updated=filled.updated,
        unchanged=filled.unchanged,
        staged=filled.staged,
        failed=filled.failed,
        items=tuple(_item(filled.items[index].contents) for index in range(filled.item_count)),
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
