# SPDX-License-Identifier: Apache-2.0
#
# What a sync came to, made from the library's structure while that is valid; and the call that waits for it.
"""Syncs."""

from __future__ import annotations

import threading

from ._enums import Outcome
from ._ffi import handles
from ._ffi.calling import error_at
from ._ffi.registry import receivers, register
from ._receivers import Receiver
from ._record import Record
from .errors import CancelledError, error_from, timed_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._core import Core
    from ._ffi import structures
    from .errors import Error


class SyncItem(Record):
    """What a sync did for one source."""

    __slots__ = ("bucket", "error", "name", "outcome", "server")

    server: str
    """The base URL of its server, ending in /v1 or /v2."""
    bucket: str
    """Its bucket."""
    name: str
    """Its collection."""
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


def out_of_time(report: SyncReport, seconds: float) -> SyncReport:
    """The same, of a sync that was cancelled because its time was over."""
    late = timed_out("sync", seconds)
    items = tuple(
        SyncItem(server=one.server, bucket=one.bucket, name=one.name, outcome=one.outcome, error=late)
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
        server=told.server.decode(),
        bucket=told.bucket.decode(),
        name=told.name.decode(),
        outcome=Outcome(told.outcome),
        error=error_at(told.error),
    )


class SyncReceiver(Receiver):
    """Of the end of an asynchronous sync."""

    __slots__ = ()

    def read(self, *told: Any) -> tuple[SyncReport]:
        return (report_from(told[0]),)


class _Told:
    """Keeps the report of a sync that is waited for."""

    def __init__(self) -> None:
        self.report: SyncReport | None = None

    def receive(self, *told: Any) -> None:
        """Notes the report."""
        self.report = report_from(told[0])

    def end(self) -> None:
        """Nothing is kept."""


def announced_ms(announced: int | None) -> int:
    """The timestamp of a push message for the library: 0 when there was none."""
    if announced is None:
        return 0
    if isinstance(announced, bool) or not isinstance(announced, int):
        raise TypeError(f"announced must be an int of milliseconds since 1970, not {type(announced).__name__}")
    if not 0 <= announced < 1 << 63:
        raise ValueError("announced must be a timestamp in milliseconds since 1970")
    return announced


def sync(core: Core, timeout_ms: int, announced_at: int) -> SyncReport:
    """Syncs and waits. Raises when there is no report: nothing was started, or the client is closed."""
    told = _Told()
    ends: list[Any] = []
    number = register(lambda: told)
    try:
        with core.using() as client:
            _undisturbed(lambda: ends.append(handles.sync(client, announced_at, timeout_ms, number)))
    finally:
        receivers.pop(number)
    if told.report is None:
        raise ends[0]
    return told.report


def _undisturbed(call: Callable[[], object]) -> None:
    """Runs a call that calls back, and lets nothing that a signal's handler raises get lost in the callback.

    Only the main thread runs such handlers: so there another thread makes the call.
    """
    if threading.current_thread() is not threading.main_thread():
        call()
        return
    thread = threading.Thread(target=call, name="remora-sync", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No thread, or the interpreter is ending.
        call()
        return
    raised: BaseException | None = None
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:  # Of a signal's handler: it takes effect at the end, as in every call.
            raised = raised or error
    if raised is not None:
        raise raised
