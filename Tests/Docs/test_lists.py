# SPDX-License-Identifier: Apache-2.0
#
# What the documents list is what is there: statuses, functions, versions, decisions.
"""Tests of the documents' lists."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from Docs.documents import ROOT

HEADER = (ROOT / "include/remora.h").read_text(encoding="utf-8")
SYMBOLS = (ROOT / "abi/symbols.txt").read_text(encoding="utf-8").split()
# The section of docs/threading.md that lists what functions wait for.
WAITS = "What each function waits for"


def first_cells(page: str, heading: str) -> list[str]:
    """The first cells, if they begin with code, of the tables in a section of a page."""
    section = (ROOT / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)


def names_in(cell: str) -> list[str]:
    """The functions that a cell names.

    A name that begins with "_" replaces the last word of the full name before it.
    """
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
    rows = [names_in(cell) for cell in first_cells("docs/threading.md", WAITS)]
    patterns = [re.compile(name.replace("…", r"\w+")) for row in rows for name in row]
    assert [pattern.pattern for pattern in patterns if not any(map(pattern.fullmatch, SYMBOLS))] == []
    by_row = [re.compile("|".join(row).replace("…", r"\w+")) for row in rows]
    counts = {symbol: sum(bool(row.fullmatch(symbol)) for row in by_row) for symbol in SYMBOLS}
    assert {symbol: count for symbol, count in counts.items() if count != 1} == {}


@dataclass(frozen=True)
class Declared:
    """A function of the header, or the type of a callback: its declaration, and what comments state about it."""

    declaration: str
    comment: str
    group: str

    def entries(self, name: str) -> list[str]:
        """The entries of a name, such as "Thread", in its own comment."""
        return re.findall(rf"\b{name}: ([^.]*(?:\.\d[^.]*)*)", self.comment)

    def blocking(self) -> str:
        """The entry "Blocking", without what the comment adds to it; "no" is the default."""
        entry, *others = self.entries("Blocking") or ["no"]
        assert not others, self.declaration
        return re.sub(r",? (?:and at most|plus) .*", "", entry)


def declarations() -> dict[str, Declared]:
    """The functions and the types of callbacks. A declaration without a comment has that of the declaration before it;
    a plain comment is about all that follow in its section."""
    comment = group = ""
    found: dict[str, Declared] = {}
    body = HEADER.split("#ifndef REMORA_H", 1)[1]
    parts = r"/\*.*?\*/|^typedef [\w ]+\(\*\w+\)\([^;]*\);|^typedef struct|^#define|^\w[\w *]*\bremora_\w+\([^;]*\);"
    for part in re.findall(parts, body, re.DOTALL | re.MULTILINE):
        text = " ".join(part.split())
        if text.startswith("/**<"):
            continue
        if text.startswith("/**"):
            comment = re.sub(r"@code.*?@endcode", "", text.removesuffix("*/"))
        elif text.startswith("/*"):
            group, comment = ("" if text.startswith("/* ---") else group + text), ""
        elif text.startswith(("typedef struct", "#define")):
            comment = ""
        else:
            name = re.findall(r"\(\*(remora_\w+)\)|\b(remora_\w+)\(", text)[0]
            found["".join(name)] = Declared(text, comment, group)
            comment = "" if text.startswith("typedef") else comment
    return found


DECLARED = declarations()
FUNCTIONS = {name: it for name, it in DECLARED.items() if not it.declaration.startswith("typedef")}


def test_each_function_of_the_header_has_a_comment() -> None:
    assert sorted(FUNCTIONS) == SYMBOLS
    assert [name for name, it in DECLARED.items() if not it.comment] == []


def test_the_header_and_the_list_of_what_functions_wait_for_agree() -> None:
    section = (ROOT / "docs/threading.md").read_text(encoding="utf-8").split(f"\n## {WAITS}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", section, re.MULTILINE)
    listed: dict[str, str] = {}
    for cell, entry in rows:
        pattern = re.compile("|".join(names_in(cell)).replace("…", r"\w+"))
        listed |= {symbol: entry for symbol in SYMBOLS if pattern.fullmatch(symbol)}
    assert listed == {name: it.blocking() for name, it in sorted(FUNCTIONS.items())}
    words = set(re.findall(r"^ \* - ([a-z_ ]+): The function (?:accesses|waits)", HEADER, re.MULTILINE)) | {"no"}
    assert {word for entry in listed.values() for word in entry.split(", ")} == words


def test_comments_of_functions_have_only_entries_that_differ_from_the_defaults() -> None:
    defaults = dict(re.findall(r"^ \* - (Thread|Ownership|Blocking|Since): (\w[\w.]*\w)", HEADER, re.MULTILINE))
    assert defaults == {"Thread": "any", "Ownership": "none", "Blocking": "no", "Since": "0.1"}
    same = [name for name, it in FUNCTIONS.items() for entry in defaults if defaults[entry] in it.entries(entry)]
    assert same == []


def test_each_function_that_returns_memory_or_a_handle_states_who_owns_it() -> None:
    output = re.compile(r"\*\*out_|\bremora_(?:value|experiment|source_info) \*out_|^(?:const )?\w+ \*remora_")
    known = re.compile(r"_retain$|_async$|_name$|^remora_version$")
    silent = [
        name
        for name, it in FUNCTIONS.items()
        if output.search(it.declaration) and not known.search(name)
        if "Ownership: " not in it.comment + it.group
    ]
    assert silent == []
    assert [name for name, it in FUNCTIONS.items() if known.search(name) and "_async" in name] == [
        name for name, it in FUNCTIONS.items() if "remora_result_callback" in it.comment
    ]


def test_the_header_and_the_list_of_functions_with_a_rule_for_threads_agree() -> None:
    listed = [name for cell in first_cells("docs/threading.md", "The threads") for name in names_in(cell)]
    assert sorted(name for name in listed if name in SYMBOLS) == sorted(
        name for name, it in FUNCTIONS.items() if it.entries("Thread")
    )


def test_each_type_of_callback_states_its_thread() -> None:
    callbacks = {name: it for name, it in DECLARED.items() if name.endswith("_callback")}
    assert callbacks and [name for name, it in callbacks.items() if not it.entries("Thread")] == []


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


def test_each_name_of_the_c_api_in_the_pages_for_newcomers_is_in_the_header() -> None:
    for name in ["coming-from", "faq", "choosing-a-protocol", "limits", "versions"]:
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        names = set(re.findall(r"`(remora_\w+|REMORA_\w+)`", page)) - {"REMORA_0"}
        assert [it for it in names if not re.search(rf"\b{it}\b", HEADER)] == [], name


@pytest.mark.parametrize(
    "text",
    [
        "docs/operations.md",
        "include/remora.h",
        "bindings/python/src/remora/_source/explanations.py",
        "bindings/rust/remora/src/source/explanation.rs",
        "bindings/go/explain.go",
        "Sources/RemoraKit/Source/Explanation.swift",
    ],
)
def test_each_layer_that_explains_a_value_is_listed(text: str) -> None:
    core = (ROOT / "Sources/Remora/Composing/Explanation.swift").read_text(encoding="utf-8")
    cases = re.findall(r"^    case (.+)$", core.split("enum LayerKind")[1].split("}")[0], re.MULTILINE)
    layers = [layer.split('"')[1] if '"' in layer else layer for case in cases for layer in case.split(", ")]
    assert len(layers) == 9
    written = (ROOT / text).read_text(encoding="utf-8")
    assert [it for it in layers if not re.search(rf"\b{it.replace('_', '[_ ]')}\b", written)] == []
