# SPDX-License-Identifier: Apache-2.0
#
# What the documents list is what is there: statuses, functions, versions, decisions.
"""Tests of the documents' lists."""

from __future__ import annotations

import re

from Docs.documents import ROOT

HEADER = (ROOT / "include/remora.h").read_text(encoding="utf-8")
SYMBOLS = (ROOT / "abi/symbols.txt").read_text(encoding="utf-8").split()


def first_cells(page: str, heading: str) -> list[str]:
    """The first cells, if they begin with code, of the tables in a section of a page."""
    section = (ROOT / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)


def names_in(cell: str) -> list[str]:
    """The functions that a cell names. A name that begins with "_" replaces the last word of the full name before it."""
    names: list[str] = []
    stem = ""
    for name in re.findall(r"`([\w…]+)`", cell):
        names.append(stem + name if name.startswith("_") else name)
        if not name.startswith("_"):
            stem = name.rpartition("_")[0]
    return names


def test_the_errors_page_lists_exactly_the_error_codes_and_families_of_the_header() -> None:
    declared = re.findall(r"^#define (REMORA_OK|REMORA_ERR_\w+) \(?(-?\d+)\)?", HEADER, re.MULTILINE)
    page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(REMORA_(?:OK|ERR_)\w*)` \| (-?\d+) \|", page, re.MULTILINE)
    assert listed == declared
    families = re.findall(r"^#define (REMORA_FAMILY_\w+) (\d+)", HEADER, re.MULTILINE)
    assert families and families == re.findall(r"^\| `(REMORA_FAMILY_\w+)` \| (\d+) \|", page, re.MULTILINE)


def test_the_table_of_error_codes_has_no_empty_cell() -> None:
    page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `REMORA_\w+` \| -?\d+ \|(.*)\|$", page, re.MULTILINE)
    assert rows and all(len(cell.strip()) > 3 for row in rows for cell in row.split(" | "))


def test_the_list_of_functions_without_a_status_is_complete() -> None:
    declared = re.findall(r"^(\w[\w *]*?)\b(remora_\w+)\(", HEADER, re.MULTILINE)
    returns = {name: returned.strip() for returned, name in declared if not returned.startswith("typedef")}
    assert sorted(returns) == SYMBOLS
    listed = [name for cell in first_cells("docs/errors.md", "Functions without a status") for name in names_in(cell)]
    assert sorted(listed) == sorted(name for name, returned in returns.items() if returned != "remora_status")


def test_each_function_is_in_one_row_of_the_list_of_what_functions_wait_for() -> None:
    rows = [names_in(cell) for cell in first_cells("docs/threading.md", "What waits for how long")]
    patterns = [re.compile(name.replace("…", r"\w+")) for row in rows for name in row]
    assert [pattern.pattern for pattern in patterns if not any(map(pattern.fullmatch, SYMBOLS))] == []
    by_row = [re.compile("|".join(row).replace("…", r"\w+")) for row in rows]
    counts = {symbol: sum(bool(row.fullmatch(symbol)) for row in by_row) for symbol in SYMBOLS}
    assert {symbol: count for symbol, count in counts.items() if count != 1} == {}


def test_the_header_the_build_and_the_changelog_have_the_same_version() -> None:
    parts = [re.findall(rf"#define REMORA_VERSION_{part} (\d+)", HEADER)[0] for part in ("MAJOR", "MINOR", "PATCH")]
    version = ".".join(parts)
    assert f'#define REMORA_VERSION "{version}"' in HEADER
    assert f"project(remora VERSION {version} " in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_each_design_decision_has_a_number_an_entry_in_the_index_and_the_same_four_sections() -> None:
    records = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    assert records and re.findall(r"^\| \d+ \| \[.*\]\((.+)\) \|$", index, re.MULTILINE) == [it.name for it in records]
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert f"\n# {int(record.name[:4])}. " in text, record.name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Choice", "Rejected", "Price"], record.name
