# SPDX-License-Identifier: Apache-2.0
#
# The wall clock of host processes, moved from outside by a library that is preloaded into them.
"""A clock that a test moves."""

from __future__ import annotations

from pathlib import Path

_DAY_MS = 24 * 3600 * 1000


class Clock:
    """The clock of all hosts that were started with it; right until it is moved."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / "clock"
        self.move(days=0)

    def move(self, *, days: float) -> None:
        """So far from the right time."""
        moved = self._file.with_suffix(".new")
        moved.write_text(str(round(days * _DAY_MS)))
        moved.replace(self._file)

    @property
    def environment(self) -> dict[str, str]:
        """What a host is started with."""
        return {"REMORA_TEST_CLOCK": str(self._file)}
