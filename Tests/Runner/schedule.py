# SPDX-License-Identifier: Apache-2.0
#
# Steps run side by side in the order of their table. Each has its own storage directories, and its servers have ports
# that the kernel picks. The step that takes longest comes first, so that the last ones end together.
"""Runs steps side by side, and reports each in one line when it has finished."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor, as_completed

from Runner.counts import sanitizer_reports
from Runner.steps import LOGS, ROOT, Result, Step, run
from Servers.signals import set_default_signals_of_children

TAIL_LINES = 80
SHOWN_REPORTS = 2


def show(result: Result) -> None:
    """Prints the line of a step. If it failed, prints what sanitizers reported and the end of its output before it."""
    if result.count.failed:
        lines = [line for line in result.outcome.output.splitlines() if not line.startswith("ok ")]
        reports = [line for report in sanitizer_reports(result.outcome)[:SHOWN_REPORTS] for line in report.splitlines()]
        print("\n".join(f"   | {line}" for line in reports + lines[-TAIL_LINES:]))
        log = LOGS.relative_to(ROOT) / f"{result.step.name}.log"
        print(f"   exit status {result.outcome.status}; the whole output is in {log}")
    end = "FAILED" if result.count.failed else "ok"
    times = f"{result.wall:6.1f} s, {result.cpu:6.1f} s of CPU"
    print(f"{end:<6} {result.step.name:<14} {result.count!s:<38} {times}: {result.step.title}", flush=True)


def run_all(steps: list[Step], jobs: int) -> list[Result]:
    """Runs all steps, `jobs` at a time, and shows each when it has finished."""
    LOGS.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    groups: set[int] = set()
    set_default_signals_of_children()
    with ThreadPoolExecutor(jobs) as pool:
        pending = [pool.submit(run, step, groups) for step in steps]
        try:
            for done in as_completed(pending):
                results.append(done.result())
                show(results[-1])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for group in tuple(groups):
                os.killpg(group, signal.SIGKILL)
            raise
    return results
