# SPDX-License-Identifier: Apache-2.0
"""The samples of a soak."""

from __future__ import annotations

from collections.abc import Sequence


class Series:
    """Samples at equal intervals: of each process that lives through the soak, and of the whole soak."""

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self.times: list[float] = []
        self.totals: dict[str, list[float]] = {}
        self._processes: dict[str, dict[str, list[float]]] = {}

    def add(self, time: float, processes: dict[str, dict[str, float]], totals: dict[str, float]) -> None:
        self.times.append(time)
        for name, sample in processes.items():
            _append(self._processes.setdefault(name, {}), sample)
        _append(self.totals, totals)

    @property
    def processes(self) -> list[str]:
        return list(self._processes)

    def of(self, process: str) -> dict[str, Sequence[float]]:
        """The series of a process, by their names."""
        return dict(self._processes[process])


def _append(series: dict[str, list[float]], sample: dict[str, float]) -> None:
    for name, value in sample.items():
        series.setdefault(name, []).append(value)
