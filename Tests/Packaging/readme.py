# SPDX-License-Identifier: Apache-2.0
#
# The README's section "Installing and linking", read as far as the tests need it.
"""The commands and CMake blocks of the README's section on installing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from Docs.documents import ROOT

_README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = _README.split("\n## Installing and linking\n")[1].split("\n## ")[0]

COMMANDS = [line.strip() for line in re.findall(r"^ {4}(\S.*)$", SECTION, re.MULTILINE)]
CMAKE_BLOCKS = re.findall(r"^```cmake\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)


def command(*words: str) -> str:
    """The one command that has all these words, without its comment."""
    return only(line.split("#")[0].rstrip() for line in COMMANDS if all(word in line for word in words))


def cmake_block(word: str) -> str:
    """The one CMake block that has this word."""
    return only(block for block in CMAKE_BLOCKS if word in block)


def only(found: Iterable[str]) -> str:
    matches = list(found)
    assert len(matches) == 1, f"not exactly one: {matches}"
    return matches[0]
