# SPDX-License-Identifier: Apache-2.0
"""The results as text: tables for the terminal, a page for the documentation, and a file with all rows."""

from __future__ import annotations

import os
import platform
import textwrap
from collections.abc import Iterable

from headlines import headlines, missed
from targets import EXTRA, MEMORY, RATE, RATIO, SIZE, SPEEDUP, TIME, Axis, Result

COLUMNS = ("what", "remora", "rival / limit", "ratio", "target", "verdict")
NUMBERS = ("remora", "Remora", "ratio", "figure", "reason")
RIVAL = (
    "The *rival* is what a good engineer writes in a day: libcurl, jansson and a read-write lock over a C++ dictionary "
    "([rival.cpp]({})). The rival stores without fsync, and its cold start reads a smaller, flat file. Remora stores "
    "durably."
)
LIMIT = "A limit is the bare operation without a client around it, such as parsing with jansson."
PYTHON = (
    "In Python, a read of a source returns a record; a read of another library returns a boolean. kinto-http returns a "
    "list of decoded records, verifies nothing and stores nothing."
)
TERMS = (
    RIVAL.format("../benchmarks/rival.cpp"),
    f"{LIMIT} Some rows compare Remora with itself in another situation.",
    PYTHON,
    (
        "A ratio below 1 × means that Remora needs less than the rival or limit. *CPU* is processor time, and *wall* "
        "is elapsed (wall-clock) time."
    ),
    (
        "The member `v` of a record is read by the JSON Pointer `/v`. [reading.md](reading.md) describes sources, "
        "snapshots and bound keys."
    ),
)
"""What the words of docs/benchmarks.md mean."""


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
        TIME: f"≤ {limit:g} ns" if limit < 1e3 else f"≤ {quantity(TIME, limit)}",
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


def outcome(result: Result) -> str:
    """What is compared with the target."""
    return figure(result) or quantity(result.row.kind, result.remora)


def headline_cells(result: Result) -> tuple[str, ...]:
    what, remora, beside, ratio, limit, verdict = cells(result)
    return what, remora, beside, ratio, f"{limit}, {verdict}" if result.verdict else limit or "–"


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


def prose(text: str, mark: str = "") -> str:
    """Returns a paragraph, or the item of a list that begins with a mark."""
    return textwrap.fill(
        text,
        120,
        initial_indent=mark,
        subsequent_indent=" " * len(mark),
        break_long_words=False,
        break_on_hyphens=False,
    )


def markdown_table(heads: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> list[str]:
    """Numbers are on the right, in the columns named in NUMBERS."""
    rules = "|".join("--:" if head in NUMBERS else "---" for head in heads)
    return ["| " + " | ".join(heads) + " |", f"|{rules}|", *("| " + " | ".join(line) + " |" for line in lines)]


def measured(rounds: int) -> str:
    """Describes the rounds and the machine."""
    host = machine()
    return prose(
        f"The figures are medians of {rounds} rounds, in each of which all contenders run in turn. A ratio is the "
        "median of the rounds' ratios. Absolute times vary with the machine; compare the ratios. "
        f"Measured on: {host['cpu']}, {host['cores']} cores, {host['architecture']}, {host['system']}, "
        f"{host['kernel']}. Loopback network only."
    )


def page(tables: list[tuple[Axis, list[Result]]], rounds: int) -> str:
    """Returns the text of docs/benchmarks.md: the headlines, and the rows that miss their targets."""
    results = [result for _, of_axis in tables for result in of_axis]
    with_target = [result for result in results if result.verdict]
    lines = [
        "# Benchmarks",
        "",
        prose(
            "Use this page to see what a read, a start and a refresh cost, beside a client written by hand and other "
            f"libraries. [All {len(results)} rows](../benchmarks/results.md) are in a file of their own, which also "
            "describes what is compared."
        ),
        "",
        "Made by `benchmarks/run.py --save`; do not edit.",
        "",
        measured(rounds),
        "",
        *(prose(text, "- ") for text in TERMS),
        "",
        "![Remora beside the rival and the limits](benchmarks.svg)",
    ]
    for title, of_group in headlines(results):
        lines += ["", f"## {title}", ""]
        lines += markdown_table(("what", "Remora", "rival or limit", "ratio", "target"), map(headline_cells, of_group))
    groups = missed(results)
    lines += [
        "",
        "## Missed targets",
        "",
        prose(
            f"{sum(result.verdict == 'met' for result in with_target)} of {len(with_target)} targets are met. The "
            "last column has the number of the reason, which is below the table."
        ),
        "",
        *markdown_table(
            ("what", "rival or limit", "figure", "target", "reason"),
            (
                (result.row.what, result.row.beside, outcome(result), target(result), f"{number}" if text else "–")
                for number, (text, of_reason) in enumerate(groups, 1)
                for result in of_reason
            ),
        ),
        "",
        *(prose(text, f"{number}. ") for number, (text, _) in enumerate(groups, 1) if text),
    ]
    return "\n".join(lines) + "\n"


def all_rows(tables: list[tuple[Axis, list[Result]]], rounds: int) -> str:
    """Returns the text of benchmarks/results.md."""
    lines = [
        "# All results",
        "",
        prose(
            "[Benchmarks](../docs/benchmarks.md) has the rows that users ask about, and the reasons of missed targets."
        ),
        "",
        "Made by `benchmarks/run.py --save`; do not edit.",
        "",
        measured(rounds),
        "",
        prose(
            f"{RIVAL.format('rival.cpp')} {LIMIT} Reads of a collection read a member of a record. Rows beside the "
            "rival's flat dictionary compare this with a simpler task."
        ),
        "",
        prose(
            f"{PYTHON} All contenders are read in one process, with the code that their users write, and start in the "
            "same environment. The other libraries evaluate a local document and make no requests; each must return the "
            "right boolean for every key before it is measured."
        ),
        "",
        prose(
            "Refreshes without changes are measured with pinned threads: with all threads on one core, and with the "
            "server on another core. On two cores, each request of each contender includes the time to wake the other "
            "core."
        ),
    ]
    for axis, results in tables:
        lines += ["", f"## {axis.title}", "", *markdown_table(COLUMNS, map(cells, results))]
    return "\n".join(lines) + "\n"
