# SPDX-License-Identifier: Apache-2.0
"""The verdict on a soak: which series of a process grow after the warm-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

BOUNDS = {"rss": 4096, "descriptors": 2, "threads": 1, "files": 20}
"""The most by which the median of the last quarter may exceed the median of the second quarter. RSS is in KiB."""
SAMPLES = 16
"""A soak with fewer samples cannot be judged."""


@dataclass(frozen=True)
class Growth:
    """The medians of the second and of the last quarter of a series."""

    series: str
    early: float
    late: float

    @property
    def is_within_bound(self) -> bool:
        return self.late - self.early <= BOUNDS[self.series]

    def __str__(self) -> str:
        return f"{self.series} grew from {self.early:,.0f} to {self.late:,.0f}; the bound is {BOUNDS[self.series]:,}"


def growth(series: str, values: Sequence[float]) -> Growth:
    if len(values) < SAMPLES:
        raise ValueError(f"{series}: {len(values)} samples are too few")
    quarter = len(values) // 4
    return Growth(series, median(values[quarter : 2 * quarter]), median(values[-quarter:]))


def faults(name: str, series: dict[str, Sequence[float]]) -> list[str]:
    """A line for each series of a process that grows by more than its bound."""
    growths = [growth(one, values) for one, values in series.items()]
    return [f"{name}: {one}" for one in growths if not one.is_within_bound]
