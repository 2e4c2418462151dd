# SPDX-License-Identifier: Apache-2.0
#
# What the documents list is what is there: statuses, versions, decisions.
"""Tests of the documents' lists."""

from __future__ import annotations

import re

from Docs.documents import ROOT

HEADER = (ROOT / "include/remora.h").read_text(encoding="utf-8")


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


def test_the_header_the_build_and_the_changelog_have_the_same_version() -> None:
    parts = [re.findall(rf"#define REMORA_VERSION_{part} (\d+)", HEADER)[0] for part in ("MAJOR", "MINOR", "PATCH")]
    version = ".".join(parts)
    assert f'#define REMORA_VERSION "{version}"' in HEADER
    assert f"project(remora VERSION {version} " in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_each_design_decision_has_a_number_an_entry_in_the_index_and_the_same_four_sections() -> None:
    records = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    for number, record in enumerate(records, 1):
        text = record.read_text(encoding="utf-8")
        assert record.name.startswith(f"{number:04}-"), record.name
        assert f"]({record.name})" in index, record.name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Choice", "Rejected", "Price"], record.name
