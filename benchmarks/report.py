# SPDX-License-Identifier: Apache-2.0
"""The results as text: tables for the terminal, a page for the documentation."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from targets import EXTRA, MEMORY, RATE, RATIO, SIZE, SPEEDUP, TIME, Axis, Result

REASONS = Path(__file__).with_name("reasons.md")
"""Why some rows miss their targets."""

COLUMNS = ("what", "remora", "rival / limit", "ratio", "target", "verdict")


def quantity(kind: str, value: float) -> str:
    """Formats a duration in nanoseconds, a number of bytes or a rate."""
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
    """Describes the machine, without names of the machine or its owner."""
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
    """Returns the text of docs/benchmarks.md."""
    host = machine()
    lines = [
        "# Benchmarks",
        "",
        "Made by `benchmarks/run.py --save`; do not edit. "
        f"Medians of {rounds} rounds, in each of which all contenders run in turn. A ratio is the median of "
        "the rounds' ratios. Absolute times vary with the machine; compare the ratios.",
        "",
        f"Measured on: {host['cpu']}, {host['cores']} cores, {host['architecture']}, {host['system']}, "
        f"{host['kernel']}. Loopback network only.",
        "",
        "The *rival* is what a good engineer writes in a day: libcurl, jansson and a read-write lock over a C++ "
        "dictionary (`benchmarks/rival.cpp`). Limits are the bare operation without a client around it. Reads of a "
        "collection read a member of a record. Rows against the rival's flat dictionary compare that with a "
        "simpler task and have no target. A cold start of the rival reads the smaller, flat file. The rival stores "
        "without fsync; Remora stores durably. In Python, all contenders are read in one process, with the "
        "code that their users write, and start in the same environment. A read of a source returns a record; a "
        "read of the other libraries returns a boolean. The other libraries evaluate a local document and make no "
        "requests; each must return the right boolean for every key before it is measured. kinto-http returns a list "
        "of decoded records, verifies nothing and stores nothing.",
        "",
        "Refreshes without changes are measured with pinned threads: with all threads on one core, and with the server "
        "on another core. On two cores, each request of each contender includes the time to wake the other core.",
        "",
        "![Remora beside the rival and the limits](benchmarks.svg)",
    ]
    for axis, results in tables:
        lines += ["", f"## {axis.title}", "", "| " + " | ".join(COLUMNS) + " |", "|---|--:|---|--:|---|---|"]
        lines += ["| " + " | ".join(cells(result)) + " |" for result in results]
    lines += ["", REASONS.read_text(encoding="utf-8").rstrip()]
    return "\n".join(lines) + "\n"
