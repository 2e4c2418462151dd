# SPDX-License-Identifier: Apache-2.0
"""The report of a soak: the table, docs/soak.md and docs/soak.svg."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from Soak import chart, judge
from Soak.series import Series

Counts = Counter[str]


@dataclass(frozen=True)
class Result:
    """All that a soak has counted."""

    series: Series
    counts: Counts
    requests: int
    server_faults: Counts
    editions: int
    kills: int
    faults: list[str]

    @property
    def seconds(self) -> float:
        return self.series.times[-1]


def table(result: Result) -> list[str]:
    """The counts, and the use of resources, as Markdown."""
    counts, errors = result.counts, _named(result.counts, "error ")
    rows = {
        "duration": f"{result.seconds / 60:.1f} minutes, {len(result.series.times)} samples",
        "versions published": f"{result.editions:,}",
        "requests": f"{result.requests:,}",
        "faults of the server": f"{result.server_faults.total():,}: {_list(result.server_faults)}",
        "refreshes": f"{counts['refreshes']:,}",
        "syncs": f"{counts['syncs']:,}",
        "events": f"{counts['events']:,}",
        "checks of all values": f"{counts['reads']:,}",
        "attachments opened": f"{counts['attachments']:,}",
        "overrides set and cleared": f"{counts['overrides']:,}",
        "versions rejected": f"{counts['rejections']:,}",
        "clients opened": f"{counts['opens']:,}",
        "processes killed with SIGKILL": f"{result.kills:,}",
        "calls that failed": f"{errors.total():,}: {_list(errors)}",
        "**violations**": f"**{len(result.faults):,}**",
    }
    lines = ["| what | number |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    return [*lines, "", *_resources(result.series)]


def _resources(series: Series) -> list[str]:
    units = {"rss": "resident memory, KiB", "descriptors": "descriptors", "threads": "threads"}
    lines = [
        "| process | what | first sample | median, second quarter | median, last quarter | peak | allowed growth |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    rows = [(process, name, series.of(process)[name]) for process in series.processes for name in units]
    rows.append(("all", "files", series.totals["files"]))
    for process, name, values in rows:
        growth = judge.growth(name, values)
        numbers = [values[0], growth.early, growth.late, max(values)]
        cells = " | ".join(f"{number:,.0f}" for number in numbers)
        lines.append(f"| {process} | {units.get(name, 'files in the storage')} | {cells} | +{judge.BOUNDS[name]:,} |")
    return lines


def _named(counts: Counts, prefix: str) -> Counts:
    return Counter({name.removeprefix(prefix): count for name, count in counts.items() if name.startswith(prefix)})


def _list(counts: Counts) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.most_common())


def page(result: Result) -> str:
    lines = [
        # REUSE-IgnoreStart
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        # REUSE-IgnoreEnd
        "# A soak",
        "",
        "Made by `make soak`; do not edit. [Reliability](reliability.md#soak) describes what a soak does and checks.",
        "",
        f"The run of {time.strftime('%Y-%m-%d', time.gmtime())}, on {len(os.sched_getaffinity(0))} cores:",
        "",
        *table(result),
        "",
        "![Resident memory, descriptors and refreshes over time](soak.svg)",
    ]
    return "\n".join(lines) + "\n"


def save(result: Result, docs: Path) -> None:
    (docs / "soak.md").write_text(page(result))
    (docs / "soak.svg").write_text(chart.draw(result.series))
