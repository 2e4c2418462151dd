# SPDX-License-Identifier: Apache-2.0
#
# A step is a program in a process group of its own. What it prints goes to build/test-logs.
"""Steps, and the way one of them is run."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from Runner.counts import Count, Outcome, by_status, failures

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "test-logs"


@dataclass(frozen=True)
class Step:
    """One program and the way to count what it checked."""

    name: str
    title: str
    command: list[str]
    count: Callable[[Outcome], Count | None] = by_status
    environment: dict[str, str] = field(default_factory=dict)
    minutes: float = 15
    folder: str = "."


@dataclass(frozen=True)
class Result:
    """The count of a step, the seconds it took, those of processor time among them, and what failed."""

    step: Step
    count: Count
    outcome: Outcome
    wall: float
    cpu: float

    @property
    def failures(self) -> list[str]:
        return [f"{self.step.name}: {name}" for name in failures(self.outcome)] if self.count.failed else []


def run(step: Step, groups: set[int]) -> Result:
    """Runs a step to its end, and keeps its process group in `groups` until then.

    A step that crashes, exceeds its time or leaves no report counts as failed.
    """
    started = time.monotonic()
    outcome, cpu = _execute(step, groups)
    count = step.count(outcome) or Count(failed=1)
    if outcome.status and not count.failed:
        count += Count(failed=1)
    return Result(step, count, outcome, time.monotonic() - started, cpu)


def _execute(step: Step, groups: set[int]) -> tuple[Outcome, float]:
    report, log = LOGS / f"{step.name}.xml", LOGS / f"{step.name}.log"
    report.unlink(missing_ok=True)
    command = [word.replace("{report}", str(report)) for word in step.command]
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                command, cwd=ROOT / step.folder, env={**os.environ, **step.environment}, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            output.write(f"{error}\n".encode())
            return Outcome(127, str(error), report), 0.0
        groups.add(process.pid)
        status, cpu = _wait(process, step.minutes * 60)
        groups.discard(process.pid)
        if status is None:
            output.write(f"\nno end within {step.minutes:g} minutes\n".encode())
    text = log.read_text(encoding="utf-8", errors="replace")
    return Outcome(124 if status is None else status, text, report), cpu


def _wait(process: subprocess.Popen[bytes], seconds: float) -> tuple[int | None, float]:
    """The exit status, None if the process group was killed after `seconds`, and its processor time."""
    late = threading.Event()

    def end() -> None:
        late.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        # The process stays a zombie until wait4, so the timer never signals another group.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    finally:
        timer.cancel()
        timer.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return None if late.is_set() else process.returncode, usage.ru_utime + usage.ru_stime
