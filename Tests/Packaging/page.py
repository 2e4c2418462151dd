# SPDX-License-Identifier: Apache-2.0
#
# docs/installing.md, read as far as the tests need it: its blocks by the words of their fences.
"""The snippets of the page on installing, and the packages that they make."""

from __future__ import annotations

from pathlib import Path

import pytest

from Docs.documents import ROOT, blocks
from Packaging.checkout import BUILD, shell

PAGE = ROOT / "docs" / "installing.md"
DIST = BUILD / "dist"


def snippet(*words: str) -> str:
    """The one block of the page whose fence has exactly these words."""
    (found,) = [block.text for block in blocks(PAGE) if block.words == words]
    return found


def make(topic: str) -> None:
    """Runs the command of the page that makes a package, in the checkout."""
    shell(snippet("sh", topic, "make"), ROOT)


def only_file(pattern: str) -> Path:
    """The one file in build/dist with this pattern."""
    (found,) = DIST.glob(pattern)
    return found


def need(program: str, found: str | None) -> None:
    """Skips a test whose program is not installed."""
    if found is None:
        pytest.skip(f"{program} is not installed: apt-get install {program}")
