# SPDX-License-Identifier: Apache-2.0
"""Tests of the tables of threats in docs/reliability.md: each row names its tests, which exist, and their last result."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from Docs.documents import ROOT, Link, links

PAGE = ROOT / "docs" / "reliability.md"
HEAD = "| threat | what Remora does | shown by | last result |"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
DECLARATION = {
    ".py": r"^def {name}\(",
    ".swift": r"@Test\(\s*\"{name}\"",
    ".c": r"^TEST\(\"{name}\"\)",
    ".cpp": r"^TEST\(\"{name}\"\)",
}


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
    if is_tested != bool(re.search(r"20\d\d-\d\d-\d\d", row.result)):
        return "has no date of the last result" if is_tested else "has a result, but no test"
    unknown = set(re.findall(r"`make ([a-z-]+)", row.tests)) - TARGETS
    return f"names the unknown targets {sorted(unknown)}" if unknown else None


def is_declared(name: str, file: Path) -> bool:
    """Whether a file declares a test with this name."""
    pattern = DECLARATION[file.suffix].format(name=re.escape(name))
    return re.search(pattern, file.read_text(encoding="utf-8"), re.MULTILINE) is not None


def undeclared(link: Link) -> bool:
    file = (PAGE.parent / link.target.partition("#")[0]).resolve()
    return link.text.startswith("`") and file.is_relative_to(ROOT / "Tests") and not is_declared(link.text[1:-1], file)


def test_each_row_of_the_tables_of_threats_names_a_test_and_its_last_result_or_the_reason() -> None:
    found = rows()
    assert len(found) >= 80 and len({row.threat for row in found}) == len(found)
    assert [f"{row.threat}: {why}" for row in found if (why := fault(row))] == []


def test_each_test_that_a_table_of_threats_names_is_declared_in_the_linked_file() -> None:
    found = links(PAGE)
    assert sum(link.text.startswith("`") for link in found) >= 100
    assert [str(link) + f" does not declare {link.text}" for link in found if undeclared(link)] == []


@pytest.mark.parametrize(
    "row",
    [
        Row("a", "b", "a test", "passed, 2026-11-28"),
        Row("a", "b", "[test](x.py)", "passed"),
        Row("a", "b", "Not tested: a reason", "passed, 2026-11-28"),
        Row("a", "b", "`make nothing`", "passed, 2026-11-28"),
    ],
)
def test_the_check_of_the_tables_finds_a_row_that_lacks_something(row: Row) -> None:
    assert fault(row) is not None
    assert fault(Row("a", "b", "`make fleet`", "passed, 2026-11-28")) is None


def test_the_check_of_the_tables_finds_the_name_of_a_test_that_is_only_mentioned() -> None:
    here = Path(__file__)
    assert is_declared("test_the_check_of_the_tables_finds_the_name_of_a_test_that_is_only_mentioned", here)
    assert not is_declared("Row", here) and not is_declared("pytest.mark", here)
