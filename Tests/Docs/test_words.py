# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-words, over small checkouts with phrases and exceptions of their own.
"""Tests of the check of words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from Docs.documents import ROOT

SCRIPT = ROOT / "scripts" / "check-words"
PHRASES = r"""# a comment
\bfor ever\b -> permanently
\b(?:un)?told\b -> reported, notified
"""
# A path, its text, and the line on which the phrase begins.
PLANTED = [
    ("docs/page.md", "# Page\n\nA lock stays taken for\never.\n", 3),
    ("include/remora.h", "#define A 1\n/**\n * Kept for\n * ever. */\nint f(void);\n", 3),
    ("Sources/Core/A.swift", "let a = 1\n\n/// Kept for ever.\nlet b = 2\n", 3),
    ("Sources/Core/B.swift", 'func fail(_ n: Int) -> String {\n  "\\(n) waits for ever"\n}\n', 2),
    ("bindings/python/src/remora/a.py", 'def f() -> None:\n    """Kept for ever."""\n', 2),
    ("bindings/rust/remora/src/a.rs", "//! A module.\n\n/// Kept for ever.\npub fn a<'a>(_: &'a str) {}\n", 3),
    ("examples/c/a.c", "int main(void) {\n  return 0; /* for ever */\n}\n", 2),
    ("scripts/run", '#!/usr/bin/env bash\nset -eu\n# Kept for ever.\necho "$#"\n', 3),
    ("Tests/ABI/a.c", '    {"a value is kept", a},\n    {"a value is kept for ever", b},\n', 2),
    ("Tests/RemoraTests/A.swift", 'struct A {\n  @Test("a value is kept for ever")\n  func a() {}\n}\n', 2),
    ("Tests/EndToEnd/test_a.py", "def test_a_value_is_kept_for_ever() -> None:\n    pass\n", 1),
    ("bindings/rust/remora/tests/a.rs", "#[test]\nfn a_value_is_kept_for_ever() {}\n", 2),
]
HARMLESS = [
    (
        "docs/page.md",
        "# Page\n\n```c\n/* for ever */\n```\n\nThe name `for ever`, a told_value.\n\n    sleep for ever\n",
    ),
    ("Sources/Core/A.swift", "func wait(for ever: Int) {}\n"),
    ("Sources/Core/B.swift", 'let a = "\\(value(for: ever, told: told))"\n'),
    ("Tests/RemoraTests/A.swift", '// Kept for ever.\n@Test("a value is kept")\nfunc a() {}\n'),
    ("benchmarks/a.py", "# for ever\n"),
]


class Checkout:
    """A small checkout with phrases and exceptions of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        subprocess.run(["git", "init", "--quiet", str(root)], check=True)
        self.write("scripts/words/phrases", PHRASES)
        self.write("scripts/words/exceptions", "")

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def check(self, *paths: str) -> tuple[int, list[str]]:
        command = [sys.executable, str(SCRIPT), "--root", str(self.root), *paths]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.mark.parametrize(("path", "text", "line"), PLANTED, ids=[path for path, _, _ in PLANTED])
def test_check_words_reports_a_forbidden_phrase_with_its_line_and_a_replacement(
    checkout: Checkout, path: str, text: str, line: int
) -> None:
    checkout.write(path, text)
    status, lines = checkout.check()
    assert (status, lines) == (
        1,
        [f'{path}:{line}: "for ever": use permanently', "check-words: 1 files, 1 phrases, 0 unused exceptions"],
    )


@pytest.mark.parametrize(("path", "text"), HARMLESS, ids=[path for path, _ in HARMLESS])
def test_check_words_ignores_code_and_files_that_users_do_not_read(checkout: Checkout, path: str, text: str) -> None:
    checkout.write(path, text)
    status, lines = checkout.check()
    assert status == 0, lines


def test_check_words_permits_a_forbidden_phrase_only_inside_a_text_from_the_list_of_permitted_texts(
    checkout: Checkout,
) -> None:
    checkout.write("docs/page.md", 'He wrote: "diamonds are\nfor ever".\n\nA lock is held for ever.\n')
    checkout.write("scripts/words/exceptions", "docs/*.md | diamonds are for ever | a title\n")
    status, lines = checkout.check()
    assert (status, lines) == (
        1,
        ['docs/page.md:4: "for ever": use permanently', "check-words: 1 files, 1 phrases, 0 unused exceptions"],
    )


def test_check_words_reports_a_permitted_text_that_occurs_in_no_file_but_not_if_it_checks_a_single_file(
    checkout: Checkout,
) -> None:
    checkout.write("docs/page.md", "Diamonds are permanent.\n")
    checkout.write("scripts/words/exceptions", "# a comment\n\ndocs/*.md | diamonds are for ever | a title\n")
    status, lines = checkout.check()
    assert (status, lines) == (
        1,
        [
            "scripts/words/exceptions:3: the exception is not needed",
            "check-words: 1 files, 0 phrases, 1 unused exceptions",
        ],
    )
    assert checkout.check("docs/page.md") == (0, ["check-words: 1 files, 0 phrases, 0 unused exceptions"])


def test_check_words_refuses_a_list_of_permitted_texts_in_which_a_reason_is_missing(checkout: Checkout) -> None:
    checkout.write("scripts/words/exceptions", "docs/*.md | diamonds are for ever\n")
    command = [sys.executable, str(SCRIPT), "--root", str(checkout.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "exceptions:1: a line has 3 parts, separated by |" in done.stderr
