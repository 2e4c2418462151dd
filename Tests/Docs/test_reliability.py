# SPDX-License-Identifier: Apache-2.0
"""Tests of the tables of threats in docs/reliability.md.

Each row names its tests, which exist, and their last result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from Docs.documents import ROOT

PAGE = ROOT / "docs" / "reliability.md"
HEAD = "| threat | what Remora does | shown by | last result |"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
TEST = {".py": r"^(async )?def test_", ".swift": r"@Test\(", ".c": r'^TEST\("', ".cpp": r'^TEST\("'}
MOST_FILES = 3
SCRIPTS = ("check-cpp", "check-exports", "check-format", "check-growth")


@dataclass(frozen=True)
class Row:
    """A threat, what Remora does, the tests and their last result."""

    threat: str
    action: str
    tests: str
    result: str


def rows() -> list[Row]:
    found: list[Row] = []
    tables = PAGE.read_text(encoding="utf-8").split(HEAD)[1:]
    for table in tables:
        body = table.split("\n\n")[0].strip().splitlines()[1:]
        found += [Row(*(cell.strip() for cell in line.strip("|").split(" | "))) for line in body]
    return found


def fault(row: Row) -> str | None:
    """What a row lacks."""
    is_tested = not row.tests.startswith("Not tested: ")
    if is_tested and not re.search(r"\]\(|`make ", row.tests):
        return "names no test"
    if is_tested != bool(re.search(r"[a-z].*, 20\d\d-\d\d-\d\d", row.result)):
        return "has no last result with its date" if is_tested else "has a result, but no test"
    unknown = set(re.findall(r"`make ([a-z-]+)", row.tests)) - TARGETS
    return f"names the unknown targets {sorted(unknown)}" if unknown else fault_of_links(row)


def fault_of_links(row: Row) -> str | None:
    """Which link of a row leads to no test, or is hard to read. Links to sections and pages are not limited."""
    found: list[tuple[str, str]] = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", row.tests)
    files = {target: name for name, target in found if target.startswith("../")}
    if len({target for _, target in found}) != len(found):
        return "has a link twice"
    if len(files) > MOST_FILES:
        return f"links to more than {MOST_FILES} files"
    for target, name in files.items():
        file = (PAGE.parent / target).resolve()
        if name != file.name.removesuffix(".swift"):
            return f"does not name the file {target}"
        if not has_tests(file):
            return f"{target} has no tests"
    return None


def has_tests(file: Path) -> bool:
    """Whether a file declares tests. A check of scripts/ and a planted fault are tests themselves."""
    if not file.is_file():
        return False
    if file.parent == ROOT / "scripts" or file.suffix == ".fault":
        return True
    return file.suffix in TEST and re.search(TEST[file.suffix], file.read_text("utf-8"), re.MULTILINE) is not None


def test_each_row_of_the_tables_of_threats_names_a_test_and_its_last_result_or_the_reason() -> None:
    found = rows()
    assert len(found) >= 80 and len({row.threat for row in found}) == len(found)
    assert sum(row.tests.count("](../") for row in found) >= 100
    assert [f"{row.threat}: {why}" for row in found if (why := fault(row))] == []


@pytest.mark.parametrize(
    "row",
    [
        Row("a", "b", "a test", "passed, 2026-11-28"),
        Row("a", "b", "[test](x.py)", "passed"),
        Row("a", "b", "Not tested: a reason", "passed, 2026-11-28"),
        Row("a", "b", "[test_reliability.py](../Tests/Docs/test_reliability.py)", "2026-11-28"),
        Row("a", "b", "`make nothing`", "passed, 2026-11-28"),
        Row("a", "b", "[a test](../Tests/Docs/test_reliability.py)", "passed, 2026-11-28"),
        Row("a", "b", "[test_nothing.py](../Tests/Docs/test_nothing.py)", "passed, 2026-11-28"),
        Row("a", "b", "[documents.py](../Tests/Docs/documents.py)", "passed, 2026-11-28"),
        Row("a", "b", "[README.md](../README.md)", "passed, 2026-11-28"),
        Row("a", "b", "[a soak](#soak), [it again](#soak)", "passed, 2026-11-28"),
        Row("a", "b", ", ".join(f"[{one}](../scripts/{one})" for one in SCRIPTS), "passed, 2026-11-28"),
    ],
)
def test_the_check_of_the_tables_finds_a_row_that_lacks_something(row: Row) -> None:
    assert fault(row) is not None


@pytest.mark.parametrize(
    "row",
    [
        Row("a", "b", "`make fleet`", "passed, 2026-11-28"),
        Row("a", "b", "[test_reliability.py](../Tests/Docs/test_reliability.py), [a soak](#soak)", "1 run, 2026-11-28"),
        Row("a", "b", ", ".join(f"[{one}](../scripts/{one})" for one in SCRIPTS[1:]), "passed, 2026-11-28"),
        Row("a", "b", "Not tested: a reason", "–"),
    ],
)
def test_the_check_of_the_tables_accepts_a_row_with_tests_or_a_reason(row: Row) -> None:
    assert fault(row) is None
