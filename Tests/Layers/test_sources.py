# SPDX-License-Identifier: Apache-2.0
"""Rules for the Swift sources that the compiler does not check."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
MOST_LINES = 40
MOST_TYPE_FILES = 4
#: Tables, in which a line is a case.
TABLES = {"rule(of"}
#: Words of comments and names that a type replaces: what guards a value is a proof, and what differs from the files is
#: a state. A name can contain them in the middle, as in `isRejectionUntold`.
REPLACED = re.compile(
    r"(?<![A-Za-z])(?i:owed|owes|untold)|(?<=[a-z0-9])(?:Owed|Owes|Untold)"
    r"|(?i:inside ?the ?lock|in ?jobs ?only|guarded ?by ?the ?process)"
)
#: A type or an extension, to its closing brace.
PART_OF_TYPE = re.compile(
    r"^(?:package |public |final )*(?:class|struct|enum|protocol|extension) (\w+)[^\n]*\{\n(.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
#: A member that other files see.
SEEN_MEMBER = re.compile(
    r"^  (?!private|fileprivate)(?:[@\w()]+ )*(?:func|var|let|init|subscript|case)\b", re.MULTILINE
)
#: Code that only the named files of the engine may contain: making a proof, or taking its key out, and changing what
#: readers see.
RESERVED = [
    (
        re.compile(r"\.held\(|\bcase \.?held\b|\b(?:Locked|Exclusive)\.Key\b"),
        {"Engine/Process/ProcessLock.swift", "Engine/Process/Worker.swift"},
    ),
    (
        re.compile(r"\bsnapshots\[[^\]]*,[^\]]*\]|\bcell\.publish\("),
        {"Engine/Publishing/SourcePublisher.swift"},
    ),
]
BEGIN = re.compile(r"^(?P<indent> *)(?:[@\w()]+ )*(?P<name>(?:func [\w]+|init[?]?)[<(].{0,8})")


def swift_files() -> list[Path]:
    return sorted(SOURCES.rglob("*.swift"))


def functions(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a formatted file, with their lines from the declaration to the closing brace."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        match = BEGIN.match(line)
        if not match or line.rstrip().endswith("}"):
            continue
        for end in range(number + 1, len(lines)):
            if lines[end] == match["indent"] + "}":
                yield match["name"].removeprefix("func "), end - number + 1
                break
            if lines[end].strip() and len(lines[end]) - len(lines[end].lstrip()) < len(match["indent"]):
                break  # a requirement of a protocol, which has no body


def too_long(text: str) -> list[str]:
    return [
        f"{name}… has {count} lines"
        for name, count in functions(text)
        if count > MOST_LINES and not any(name.startswith(table) for table in TABLES)
    ]


def test_no_swift_function_has_more_than_40_lines() -> None:
    found = [f"{path.relative_to(SOURCES)}: {text}" for path in swift_files() for text in too_long(path.read_text())]
    assert found == []


def test_the_check_of_swift_sources_reports_a_function_of_more_than_40_lines() -> None:
    assert too_long("  func f(\n" + "    a()\n" * MOST_LINES + "  }\n") == ["f(… has 42 lines"]
    assert too_long("  func f() {\n" + "    a()\n" * (MOST_LINES - 2) + "  }\n") == []


def files_of_types(texts: dict[str, str]) -> dict[str, set[str]]:
    """The files that declare members of each type. Private helpers of a file do not count."""
    found: dict[str, set[str]] = {}
    for name, text in texts.items():
        for part in PART_OF_TYPE.finditer(text):
            if SEEN_MEMBER.search(part[2]):
                found.setdefault(part[1], set()).add(name)
    return found


def test_no_swift_type_of_the_core_is_spread_over_more_than_four_files() -> None:
    core = SOURCES / "Remora"
    texts = {str(path.relative_to(core)): path.read_text() for path in swift_files() if path.is_relative_to(core)}
    spread = {name: sorted(files) for name, files in files_of_types(texts).items() if len(files) > MOST_TYPE_FILES}
    assert spread == {}


def test_the_limit_of_files_per_swift_type_counts_only_files_with_members_that_are_not_private() -> None:
    texts = {f"{number}.swift": "extension Source {\n  func f() {}\n}\n" for number in range(5)}
    texts["6.swift"] = "extension Source {\n  fileprivate func f() {}\n}\n"
    assert files_of_types(texts) == {"Source": {f"{number}.swift" for number in range(5)}}


def test_no_comment_or_name_in_a_swift_source_file_states_a_rule_that_types_already_enforce() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{number}: {line.strip()}"
        for path in swift_files()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if REPLACED.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "/// Inside the lock, forgets it.",
        "var owesAttempt = false",
        "var isRejectionUntold: Bool",
        "var hasOwedAttempt = false",
        "let is_untold = 1",
        "func readGuardedByTheProcess() {}",
        "/// In jobs only.",
    ],
)
def test_the_check_of_swift_sources_reports_a_comment_or_name_that_states_a_rule_that_types_already_enforce(
    line: str,
) -> None:
    assert REPLACED.search(line)


@pytest.mark.parametrize(
    "line", ["var isAllowed = false", "func followedStorage()", "let showedOthers = borrowed.isEmpty"]
)
def test_the_check_of_swift_sources_permits_words_that_only_end_like_a_forbidden_word(line: str) -> None:
    assert not REPLACED.search(line)


def misplaced(name: str, text: str) -> list[str]:
    """The lines of a file that only other files may contain."""
    lines = [line.strip() for line in text.splitlines() if not line.lstrip().startswith("//")]
    return [line for pattern, files in RESERVED if name not in files for line in lines if pattern.search(line)]


def test_only_the_lock_and_the_worker_create_proofs_and_only_the_publisher_changes_live_data() -> None:
    core = SOURCES / "Remora"
    texts = {str(path.relative_to(core)): path.read_text() for path in swift_files() if path.is_relative_to(core)}
    assert {name: found for name, text in texts.items() if (found := misplaced(name, text))} == {}
    users = {name for name, text in texts.items() for pattern, _ in RESERVED if pattern.search(text)}
    assert users == set().union(*(files for _, files in RESERVED))


@pytest.mark.parametrize(
    "line",
    [
        "    if case .held(let key) = locked { stored = key }",
        "    body(.held(Locked.Key()))",
        "    let key: Exclusive.Key",
        "    core.snapshots[exclusive, locked].live = snapshot",
        "    source.core.cell.publish(snapshot)",
    ],
)
def test_the_check_of_swift_sources_reports_a_forged_proof_and_a_second_writer_of_live_data(line: str) -> None:
    assert misplaced("Source/Planted.swift", f"func planted() {{\n{line}\n}}\n") == [line.strip()]
