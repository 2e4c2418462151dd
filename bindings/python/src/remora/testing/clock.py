# SPDX-License-Identifier: Apache-2.0
"""A clock that a test moves."""

from __future__ import annotations

import threading

from .._ffi import hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

START = 1893456000.0


class Clock:
    """A clock that only `advance` moves. Pass it to a client as the option `clock`.

    - start: the first time, in seconds since 1970; default 1 January 2030.

    May be used in any thread. Timeouts of calls, refresh intervals, `ttl` and backoffs follow the clock. The timeout of
    a call expires only when another thread moves the clock.
    """

    def __init__(self, start: float = START) -> None:
        self._lock = threading.Lock()
        self._start_ms = round(start * 1000)
        self._passed_ms = 0

    def advance(self, seconds: float) -> None:
        """Moves the clock forward. Ends calls whose timeout expires, and starts due refreshes. Raises ValueError for a
        negative time."""
        if not seconds >= 0:
            raise ValueError("seconds must not be negative")
        with self._lock:
            self._passed_ms += round(seconds * 1000)
        hosts.clock_changed()

    @property
    def now(self) -> float:
        """The time in seconds since 1970."""
        return self._read()[0] / 1000

    def _read(self) -> tuple[int, int]:
        with self._lock:
            return self._start_ms + self._passed_ms, self._passed_ms

    def _add_to(self, config: Any) -> None:
        hosts.set_clock(config, self._read)
