# SPDX-License-Identifier: Apache-2.0
#
# The tables of Tests/Conformance.md: each row links to an existing test or benchmark, or has the reason why it does not
# apply. docs/conformance.md counts the rows.
"""Tests of the conformance tables."""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass
from pathlib import Path

from Docs.documents import ROOT

PAGE = ROOT / "Tests/Conformance.md"
SUMMARY = ROOT / "docs/conformance.md"
_LINK = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)")
_DECLARED = {
    ".swift": r'@Test\(\s*"((?:[^"\\]|\\.)*)"',
    ".c": r'^TEST\("((?:[^"\\]|\\.)*)"\) \{',
    ".py": r"^(?:async )?def (test_\w+)\(",
    ".rs": r"#\[test\]\s*fn (\w+)\(",
}

CASES = (
    "S01 S02 S04 S05 S07 S08 S10 S11 S13 S14 S16 S17 S19 S20 S22 S23 S25 S26 S28 S29 S31 S32 S34 S35 S37 S38 S40 S41 "
    "S43 S44 S46 S47 S49 S50 S52 M01 M03 M04 M06 M07 M09 M10 M12 M13 M15 M16 M18 M19 M21 M22 T02 T03 T05 T06 T08 T09 "
    "T11 T12 T14 T15 T17 T18 T20 T21 C02 B01 B03 B04 E01 E02"
).split()


@dataclass(frozen=True)
class Row:
    """What a reference calls it, and what is said of it here."""

    section: str
    name: str
    answer: str

    def __str__(self) -> str:
        return f"{self.section}: {self.name}"


def rows() -> list[Row]:
    """All rows, in order. FilterVectorTests.swift tests those of the last section."""
    found: list[Row] = []
    section = ""
    for line in PAGE.read_text(encoding="utf-8").partition("\n## Filter expressions\n")[0].splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| there |", "| limit |")):
            _, name, answer, _ = (part.strip() for part in line.split("|"))
            found.append(Row(section, name, answer))
    return found


@functools.cache
def declared(file: Path) -> set[str]:
    """The tests of a file, or the benchmarks, by their names."""
    if file.parent == ROOT / "scripts":
        return {file.name}
    if file == ROOT / "benchmarks" / "targets.py":
        return set(re.findall(r'\bRow\("([^"]+)", ', file.read_text(encoding="utf-8")))
    return set(re.findall(_DECLARED[file.suffix], file.read_text(encoding="utf-8"), re.MULTILINE))


def fault(row: Row) -> str | None:
    """Why a row leads to no test; None if it leads to one, or has a reason."""
    found = _LINK.findall(row.answer)
    if not found and not row.answer.startswith("does not apply: ") and "**missing**" not in row.answer:
        return "it names no test and no reason"
    if row.answer.count("](") != len(found):
        return "a link does not name its test"
    for name, target in found:
        file = (PAGE.parent / target).resolve()
        if not file.is_relative_to(ROOT) or name not in declared(file):
            return f"{target} has no {name}"
    return None


def test_every_row_of_the_conformance_table_links_to_a_test_or_has_a_reason() -> None:
    faults = {str(row): fault(row) for row in rows()}
    assert {row: why for row, why in faults.items() if why} == {}


def cases_of(test: str) -> list[str]:
    """The cases that the name of a test tells."""
    numbers = re.match(r"test((?:_[smtcbe]\d\d)*)_", test)
    return numbers[1].upper().split("_")[1:] if numbers else []


def test_each_row_of_the_conformance_table_with_a_case_number_links_to_exactly_the_tests_named_with_this_number() -> (
    None
):
    tests = {name for file in (ROOT / "Tests" / "EndToEnd").glob("test_*.py") for name in declared(file)}
    numbered = {case: {name for name in tests if case in cases_of(name)} for test in tests for case in cases_of(test)}
    told = {
        row.name.partition(":")[0]: {name for name, _ in _LINK.findall(row.answer)}
        for row in rows()
        if re.match(r"[SMTCBE]\d\d: ", row.name)
    }
    assert told == numbered
    assert set(CASES) <= set(told)


def test_the_summary_has_the_number_of_rows_and_of_exceptions_of_each_suite() -> None:
    counts = {
        section: [len(found), sum(row.answer.startswith("does not apply: ") for row in found)]
        for section, found in ((name, list(group)) for name, group in itertools.groupby(rows(), lambda it: it.section))
    }
    summary = re.findall(r"^\| \[(.+)\]\(\S+\) \| (\d+) \| (\d+) \|", SUMMARY.read_text(encoding="utf-8"), re.MULTILINE)
    assert {section: [int(total), int(exceptions)] for section, total, exceptions in summary} == counts


def test_no_row_of_the_conformance_table_is_marked_as_missing() -> None:
    assert [str(row) for row in rows() if "**missing**" in row.answer] == []


def test_the_conformance_table_has_at_least_250_rows_and_no_row_twice() -> None:
    names = [str(row) for row in rows()]
    assert len(names) == len(set(names))
    assert len(names) >= 250
