#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulates 100,000 clients that start together, and counts 200 real clients behind a cache.

Checks that no second has more requests than the mean and 1 % of an interval's requests. With --save, writes
docs/fleet.md and docs/fleet.svg. Build the simulation with `cmake --build build --target benchmark_fleet`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean

import fleet_chart
from python import environment
from report import prose

ROOT = Path(__file__).resolve().parent.parent
HERE = Path(__file__).resolve().parent
SCENARIOS = {
    "start": "The server is available",
    "outage": "The server is unreachable",
    "busy-for-two-minutes": "503 with Retry-After: 120",
    "busy-until-a-date": "503 with Retry-After: the end of the interval, as a date",
}
"""The state of the server in the second interval, by the scenarios of fleet.swift."""
INTERVALS = (300, 3600)
"""The refresh intervals, in seconds."""


@dataclass(frozen=True)
class Outcome:
    """The requests of each second in one scenario."""

    scenario: str
    requests: list[int]

    @property
    def peak(self) -> int:
        return max(self.requests)


@dataclass(frozen=True)
class Fleet:
    """The outcomes of all scenarios."""

    clients: int
    interval: int
    outcomes: list[Outcome]

    @property
    def mean(self) -> float:
        """The requests per second of clients that have been running for two intervals, with an available server."""
        return mean(self.outcomes[0].requests[2 * self.interval :])

    @property
    def limit(self) -> float:
        return self.mean + 0.01 * self.mean * self.interval

    def verdict(self, outcome: Outcome) -> str:
        return "met" if outcome.peak <= self.limit else "missed"


def run_scenario(program: Path, scenario: str, clients: int, interval: int, *more: str) -> Outcome:
    command = [str(program), scenario, "--clients", str(clients), "--interval", str(interval), *more]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return Outcome(scenario, [int(line.split()[1]) for line in lines])


def check_prediction(program: Path) -> None:
    """Ends the program if a small fleet that runs in each second has another outcome."""
    for scenario in SCENARIOS:
        every = run_scenario(program, scenario, 300, 200, "--every-second", "1")
        if run_scenario(program, scenario, 300, 200) != every:
            sys.exit(f"{scenario}: the simulation leaves out seconds in which clients send requests")


def simulate(program: Path, clients: int, interval: int) -> Fleet:
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        run = partial(run_scenario, program, clients=clients, interval=interval)
        return Fleet(clients, interval, list(pool.map(run, SCENARIOS)))


def count_behind_cache(build: Path) -> dict[str, float] | None:
    """Runs python/fleet_cache.py. None without nginx."""
    if shutil.which("nginx") is None:
        return None
    host = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "REMORA_LIBRARY": str(build / "libremora.so")}
    with tempfile.TemporaryDirectory(prefix="scratch-", dir=build) as scratch:
        command = [sys.executable, str(HERE / "python" / "fleet_cache.py"), scratch]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env={**environment.plain(), **host}
        )
    return {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()}


def table(fleets: list[Fleet]) -> list[str]:
    lines = [
        "| interval | server in interval 2 | requests | busiest second | target | verdict |",
        "|--:|---|--:|--:|--:|---|",
    ]
    for fleet in fleets:
        lines += [
            f"| {fleet.interval} s | {SCENARIOS[outcome.scenario]} | {sum(outcome.requests):,} | {outcome.peak:,}/s "
            f"| ≤ {fleet.limit:,.0f}/s | {fleet.verdict(outcome)} |"
            for outcome in fleet.outcomes
        ]
    return lines


def cache_text(cache: dict[str, float] | None) -> str:
    if cache is None:
        return "Not measured: nginx is not installed."
    intervals = cache["seconds"] / cache["interval"]
    return (
        f"{cache['clients']:.0f} clients with separate storage directories refresh a collection every "
        f"{cache['interval']:.0f} s, through nginx with `proxy_cache` and `proxy_cache_lock`. In {intervals:.1f} "
        f"intervals they made {cache['refreshes']:,.0f} refreshes, and the origin received "
        f"{cache['origin.requests']:.0f} requests for {cache['origin.urls']:.0f} URLs. Clients without data request "
        "the first URL. The benchmark fails if a URL is requested from the origin twice in one interval."
    )


def page(fleets: list[Fleet], cache: dict[str, float] | None) -> str:
    lines = [
        "# A fleet of clients",
        "",
        "Made by `benchmarks/fleet.py --save`; do not edit.",
        "",
        prose(
            f"{fleets[0].clients:,} clients start in the same second, and refresh a collection at intervals. The engine "
            "is the real one, in virtual time; the network is simulated (`benchmarks/fleet.swift`). Of four intervals, "
            "the server can fail only in interval 2. Target: no second has more requests than the mean number "
            "per second with an available server, plus 1 % of the requests of an interval."
        ),
        "",
        *table(fleets),
        "",
        "![Requests per second](fleet.svg)",
        "",
        "## Behind a cache",
        "",
        prose(cache_text(cache)),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="the build directory (default: build)")
    parser.add_argument("--clients", type=int, default=100_000, help="default: 100000")
    parser.add_argument("--save", action="store_true", help="write docs/fleet.md and docs/fleet.svg")
    options = parser.parse_args()
    if options.clients < 1:
        parser.error("--clients must be at least 1")
    build = options.build.resolve()
    program = build / "benchmarks" / "fleet"
    if not program.exists():
        sys.exit(f"{program} is not built: cmake --build {options.build} --target benchmark_fleet")
    check_prediction(program)
    fleets = [simulate(program, options.clients, interval) for interval in INTERVALS]
    cache = count_behind_cache(build)
    print("\n".join(table(fleets)), cache_text(cache), sep="\n\n")
    if options.save:
        docs = ROOT / "docs"
        (docs / "fleet.md").write_text(page(fleets, cache), encoding="utf-8")
        panels = [
            fleet_chart.Panel(SCENARIOS[outcome.scenario], outcome.requests, fleet.interval, fleet.limit)
            for fleet in fleets
            for outcome in fleet.outcomes
        ]
        (docs / "fleet.svg").write_text(fleet_chart.draw(panels), encoding="utf-8")
    missed = [
        f"{outcome.scenario} with {fleet.interval} s"
        for fleet in fleets
        for outcome in fleet.outcomes
        if fleet.verdict(outcome) == "missed"
    ]
    if missed:
        sys.exit(f"a second has more requests than the target: {', '.join(missed)}")


if __name__ == "__main__":
    main()
