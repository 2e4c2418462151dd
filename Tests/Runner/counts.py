# SPDX-License-Identifier: Apache-2.0
#
# A step's count comes from its own report. A step without a report counts as one check.
"""Counts of checks, and the ways to read them from what a step left behind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

NAMED_FAILURES = 8


@dataclass(frozen=True)
class Count:
    """The number of checks that passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True)
class Outcome:
    """The exit status of a step, what it printed, and the path of its report."""

    status: int
    output: str
    report: Path


def by_status(outcome: Outcome) -> Count | None:
    """One check, which the exit status decides."""
    return Count(failed=1) if outcome.status else Count(passed=1)


def by_last_line(outcome: Outcome) -> Count | None:
    """The count that a program prints as its last line."""
    lines = outcome.output.rstrip().splitlines()
    match = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped", lines[-1]) if lines else None
    return Count(*map(int, match.groups())) if match else None


def by_junit(outcome: Outcome) -> Count | None:
    """The sum of a JUnit report, which Swift Testing and pytest write."""
    if not outcome.report.exists():
        return None
    count = Count()
    for suite in ElementTree.parse(outcome.report).getroot().iter("testsuite"):
        tests, failures, errors, skipped = (
            int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")
        )
        count += Count(tests - failures - errors - skipped, failures + errors, skipped)
    return count if count != Count() else None


def by_cargo(outcome: Outcome) -> Count | None:
    """The sum over the test programs of `cargo test`, doctests included."""
    results = re.findall(r"^test result: .* (\d+) passed; (\d+) failed; (\d+) ignored;", outcome.output, re.MULTILINE)
    return sum((Count(*map(int, numbers)) for numbers in results), Count()) if results else None


def sanitizer_reports(outcome: Outcome) -> list[str]:
    """What sanitizers reported: each data race or memory error from its first line to its summary."""
    return re.findall(r"^[^\n]*: \w+Sanitizer:.*?^SUMMARY: [^\n]*$", outcome.output, re.MULTILINE | re.DOTALL)


def failures(outcome: Outcome) -> list[str]:
    """The failed tests of a report, or the marked and last lines of a step without one, and sanitizers' summaries."""
    named = [report.splitlines()[-1] for report in sanitizer_reports(outcome)]
    if outcome.report.exists():
        for case in ElementTree.parse(outcome.report).getroot().iter("testcase"):
            for fault in [*case.iter("failure"), *case.iter("error")]:
                named.append(f"{case.get('classname', '')} {case.get('name', '')}: {fault.get('message', '')}")
    if not named:
        lines = [line for line in outcome.output.splitlines() if line.strip() and not line.startswith("ok ")]
        marked = [line for line in lines if re.search(r"\b(FAIL(ED)?|failed|error|panicked)\b|\.c:\d+:", line)]
        named = [*marked[: NAMED_FAILURES - 1], *lines[-1:]] or ["no output"]
    return [" ".join(name.split())[:240] for name in named[:NAMED_FAILURES]]
