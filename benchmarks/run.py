#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs in rounds, and prints the results and their targets.

Each round runs every program once, and each program runs its contenders in turn, so
that a change in the speed of the machine affects all of them. Writes results.json beside
the programs; with --save also docs/benchmarks.md, docs/benchmarks.svg and benchmarks/results.md.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import chart
import report
from headlines import headlines
from python import environment
from targets import AXES, Axis, Result, evaluate

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
WITHOUT_SCRATCH = ("reads", "publishing", "hanging", "waits", "loading")
TIME_LIMIT_SECONDS = 120


class Progress:
    """A bar on standard error; one line per step when that is not a terminal."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.done = 0
        self.live = sys.stderr.isatty()

    def begin(self, name: str) -> None:
        self.done += 1
        if self.live:
            filled = 30 * (self.done - 1) // self.steps
            sys.stderr.write(f"\r\033[K[{'#' * filled}{'.' * (30 - filled)}] {self.done}/{self.steps} {name}")
        else:
            sys.stderr.write(f"{self.done}/{self.steps} {name}\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self.live:
            sys.stderr.write("\r\033[K")


def command_of(folder: Path, name: str, python: Path | None) -> list[str]:
    """Returns the command that starts a program. Python programs run from their source."""
    if name.endswith(".py"):
        return [str(python), str(HERE / name)]
    program = folder / name
    if not program.exists():
        sys.exit(f"{name} is not built: run `make bench`, or see benchmarks/CMakeLists.txt")
    return [str(program)]


def run_program(folder: Path, name: str, python: Path | None) -> dict[str, float]:
    """Runs a program and returns its "name value" lines."""
    command = command_of(folder, name, python)
    host = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "REMORA_LIBRARY": str(folder.parent / "libremora.so")}
    # The scratch files are beside the programs, because /tmp may be in memory.
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=folder) as scratch:
        if name not in WITHOUT_SCRATCH:
            command.append(scratch)
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT_SECONDS,
            check=False,
            env={**environment.plain(), **host},
        )
    if done.returncode != 0:
        sys.exit(f"\n{name} failed ({done.returncode}): {done.stderr.strip()}")
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}


def measure(folder: Path, programs: list[str], rounds: int, python: Path | None) -> dict[str, list[float]]:
    samples: dict[str, list[float]] = {}
    progress = Progress(rounds * len(programs))
    for number in range(rounds):
        for name in programs:
            progress.begin(f"round {number + 1}: {name}")
            for row, value in run_program(folder, name, python).items():
                samples.setdefault(row, []).append(value)
    progress.end()
    return samples


def save(tables: list[tuple[Axis, list[Result]]], rounds: int, root: Path = ROOT) -> None:
    """Writes the page of the documentation with its chart, and the file with all rows."""
    chosen = headlines([result for _, results in tables for result in results])
    for name, text in (
        ("docs/benchmarks.md", report.page(tables, rounds)),
        ("docs/benchmarks.svg", chart.draw(chosen)),
        ("benchmarks/results.md", report.all_rows(tables, rounds)),
    ):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build directory (default: build)")
    parser.add_argument("--rounds", type=int, default=5, help="5 or more for stable results (default: 5)")
    parser.add_argument("--axis", choices=[axis.name for axis in AXES], help="measure this axis only")
    parser.add_argument("--save", action="store_true", help="write docs/benchmarks.md and .svg, and results.md")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if options.save and options.axis:
        parser.error("--save needs all axes")

    build = options.build.resolve()
    folder = build / "benchmarks"
    folder.mkdir(exist_ok=True)
    axes = [axis for axis in AXES if options.axis in (None, axis.name)]
    programs = [program for axis in axes for program in axis.programs]
    in_python = any(program.endswith(".py") for program in programs)
    python, absent = environment.make(build / "bench-venv") if in_python else (None, {})
    samples = measure(folder, programs, options.rounds, python)
    tables = [(axis, evaluate(axis, samples, absent)) for axis in axes]
    print("\n\n".join(report.text_table(axis, results) for axis, results in tables))

    kept = {
        "machine": report.machine(),
        "rounds": options.rounds,
        "unit": "ns, except rates (per second) and bytes",
        "samples": samples,
        "rows": [
            {
                "axis": axis.name,
                "what": result.row.what,
                "beside": result.row.beside,
                "kind": result.row.kind,
                "remora": result.remora,
                "other": result.other,
                "figure": result.figure,
                "target": result.row.target,
                "verdict": result.verdict or None,
                "absent": result.absent or None,
            }
            for axis, results in tables
            for result in results
        ],
    }
    (folder / "results.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if options.save:
        save(tables, options.rounds)


if __name__ == "__main__":
    main()
