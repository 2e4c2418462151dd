# SPDX-License-Identifier: Apache-2.0
#
# The project's Markdown files, read as far as the tests need it: fenced blocks, links and headings.
"""The documents."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: the words behind its fence, and its text."""

    document: Path
    number: int
    words: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}#{self.number}"

    @property
    def is_program(self) -> bool:
        """Whether it is marked as a whole program in C or C++: ```c program … or ```cpp program …"""
        return self.words[:1] in {("c",), ("cpp",)} and self.words[1:2] == ("program",)

    @property
    def language(self) -> str:
        """The first word behind its fence."""
        return self.words[0]

    @property
    def arguments(self) -> tuple[str, ...] | None:
        """What it is to be run with: the words behind "run"; None when it is only compiled."""
        return self.words[3:] if self.words[2:3] == ("run",) else None


@dataclass(frozen=True)
class Link:
    """A link or image as it is written."""

    document: Path
    text: str
    target: str

    def __str__(self) -> str:
        return f"{self.document.relative_to(ROOT)}: {self.target}"


def documents() -> list[Path]:
    """All Markdown files of the project, whether or not they are committed yet."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    return sorted({ROOT / name for name in listed.split("\0") if name and (ROOT / name).exists()})


def blocks(document: Path) -> list[Block]:
    """The fenced blocks of a document, numbered from 1."""
    found = _FENCE.findall(document.read_text(encoding="utf-8"))
    return [Block(document, number, tuple(words.split()), text) for number, (words, text) in enumerate(found, 1)]


def with_words(document: Path, *words: str) -> list[Block]:
    """The fenced blocks of a document whose fence has exactly these words."""
    return [block for block in blocks(document) if block.words == words]


def links(document: Path) -> list[Link]:
    """The links and images of a document; what is fenced or quoted as code is none."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    return [Link(document, *found) for found in _LINK.findall(text) + _IMAGE.findall(text)]


def anchors(document: Path) -> set[str]:
    """The anchors of a document's headings, as they are commonly made."""
    text = _FENCE.sub("", document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+?)\s*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
