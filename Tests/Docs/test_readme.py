# SPDX-License-Identifier: Apache-2.0
#
# The README is short, and shows code that runs elsewhere: the quickstarts, and lines of other programs. A block whose
# fence ends in "quoted FILE" has lines of that file, in its order.
"""Tests of README.md."""

from __future__ import annotations

import pytest

from Docs.documents import ROOT, Block, blocks, documents, links, with_words

README = ROOT / "README.md"
QUOTES = [block for block in blocks(README) if block.words[1:2] == ("quoted",)]


def test_the_readme_has_at_most_8192_bytes() -> None:
    assert README.stat().st_size <= 8192


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("c/quickstart.c", ("c", "program", "run", "SERVER", "demo", "banner", "/last_modified")),
        ("python/quickstart.py", ("python", "quickstart")),
    ],
)
def test_the_readme_contains_the_quickstart_unchanged(name: str, words: tuple[str, ...]) -> None:
    (block,) = with_words(README, *words)
    assert block.text == (ROOT / "examples" / name).read_text(encoding="utf-8")


def test_the_readme_quotes_two_lines_for_each_language_without_a_whole_program() -> None:
    assert [block.language for block in QUOTES] == ["rust", "swift", "cpp", "go"]
    assert [len(block.text.splitlines()) for block in QUOTES] == [2, 2, 2, 2]


@pytest.mark.parametrize("block", QUOTES, ids=str)
def test_each_line_that_the_readme_quotes_is_in_its_file_in_the_same_order(block: Block) -> None:
    lines = [line.strip() for line in (ROOT / block.words[2]).read_text(encoding="utf-8").splitlines()]
    places = [lines.index(line) for line in block.text.splitlines()]
    assert places == sorted(places)


def test_the_index_of_the_guides_lists_each_guide_once() -> None:
    index = ROOT / "docs" / "README.md"
    guides = [it for it in documents() if it.parent == ROOT / "docs" and it != index]
    listed = [link.target for link in links(index) if "/" not in link.target]
    assert sorted(listed) == [it.name for it in guides]
