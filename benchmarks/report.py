# SPDX-License-Identifier: Apache-2.0
"""The results as text: tables for the terminal, a page for the documentation."""

from __future__ import annotations

import os
import platform

from targets import EXTRA, MEMORY, RATE, RATIO, SIZE, SPEEDUP, TIME, Axis, Result

COLUMNS = ("what", "remora", "rival / limit", "ratio", "target", "verdict")


def quantity(kind: str, value: float) -> str:
    """A duration in nanoseconds, a number of bytes or a rate, for people."""
    if kind == RATE:
        return f"{value:.0f}/s"
    if kind in (SIZE, MEMORY):
        return f"{value / 1e6:.2f} MB"
    for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
        if value < limit:
            scaled = value / (limit / 1e3)
            return f"{scaled:.{0 if scaled >= 100 else 1 if scaled >= 10 else 2}f} {unit}"
    return f"{value / 1e9:.2f} s"


def figure(result: Result) -> str:
    kind, value = result.row.kind, result.figure
    if kind in (RATIO, MEMORY):
        return f"{value:.2f} ×"
    if kind == SPEEDUP:
        return f"{value:.1f} × faster"
    if kind == EXTRA:
        return f"{value:+.1f} ns"
    return ""


def target(result: Result) -> str:
    limit = result.row.target
    if limit is None:
        return ""
    return {
        RATIO: f"≤ {limit:g} ×",
        MEMORY: f"≤ {limit:g} ×",
        SIZE: f"≤ {limit / 1e6:g} MB",
        SPEEDUP: f"≥ {limit:g} × faster",
        EXTRA: f"≤ +{limit:g} ns",
        RATE: f"≥ {limit:g}/s",
        TIME: f"≤ {limit:g} ns",
    }[result.row.kind]


def cells(result: Result) -> tuple[str, ...]:
    row = result.row
    if result.absent:
        return (row.what, "–", f"{row.beside}: {result.absent}", "–", target(result), "–")
    return (
        row.what,
        quantity(row.kind, result.remora),
        f"{quantity(row.kind, result.other)}  {row.beside}",
        figure(result),
        target(result),
        result.verdict or "–",
    )


def text_table(axis: Axis, results: list[Result]) -> str:
    lines = [COLUMNS, *map(cells, results)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    numbers = (1, 3)
    made = [axis.title]
    for number, line in enumerate(lines):
        made.append(
            "  ".join(
                cell.rjust(width) if i in numbers else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
        )
        if number == 0:
            made.append("  ".join("-" * width for width in widths))
    return "\n".join(made)


def machine() -> dict[str, str | int]:
    """What was measured on: nothing that names the machine or its owner."""
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    cores = len(os.sched_getaffinity(0))
    return {
        "cpu": model,
        "cores": cores,
        "system": system,
        "kernel": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
    }


def page(tables: list[tuple[Axis, list[Result]]], rounds: int) -> str:
    """docs/benchmarks.md."""
    told = machine()
    lines = [
        "# Benchmarks",
        "",
        "Made by `benchmarks/run.py --save`; do not edit. "
        f"Medians of {rounds} rounds, in each of which everybody runs in turn; a ratio is the median of the "
        "rounds' ratios. Absolute times drift with the machine; the ratios are what counts.",
        "",
        f"Measured on: {told['cpu']}, {told['cores']} cores, {told['architecture']}, {told['system']}, "
        f"{told['kernel']}. Loopback network only.",
        "",
        "The *rival* is what a good engineer writes in a day: libcurl, jansson and a read-write lock over a C++ "
        "dictionary (`benchmarks/rival.cpp`). Limits are the bare operation without a client around it. Reads of a "
        "collection go to a member of a record; rows against the rival's flat dictionary compare that with a "
        "simpler thing and have no target. A cold start of the rival reads the smaller, flat file. The rival stores "
        "without fsync; Remora stores durably. In Python, every contender is read as its users write it, in one "
        "process, and starts in the same environment; a read of a source gives the record, the peers' a boolean.",
        "",
        "![Remora beside the rival and the limits](benchmarks.svg)",
    ]
    for axis, results in tables:
        lines += ["", f"## {axis.title}", "", "| " + " | ".join(COLUMNS) + " |", "|---|--:|---|--:|---|---|"]
        lines += ["| " + " | ".join(cells(result)) + " |" for result in results]
    return "\n".join(lines) + "\n"
