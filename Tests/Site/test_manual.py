# SPDX-License-Identifier: Apache-2.0
"""Tests of the page remora(1) of the site."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import manual
import pytest

from Site.conftest import MANUAL, ROOT

PAGE = ROOT / "packaging" / "remora.1"
CONVERTED = manual.converted(PAGE.read_text(encoding="utf-8"))


def words(text: str) -> set[str]:
    """The words of a text in which emphasis and code have marks."""
    return set(re.findall(r"[\w./:=+-]*\w", re.sub(r"[\\`*]", "", text)))


def test_each_word_that_man_prints_is_on_the_page() -> None:
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    command = ["mandoc", "-T", "ascii", "-O", "width=500", str(PAGE)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # Each letter in bold is printed twice, and the first and the last line are those of each manual.
    lines = re.sub(r".\x08", "", printed).strip().splitlines()[1:-1]
    found = words("\n".join(lines).lower())
    assert len(found) >= 300
    assert found - words(CONVERTED.lower()) == set()


def test_options_are_entries_and_commands_are_a_list() -> None:
    assert "```{program} remora keys-init\n```\n::::{option} --days DAYS\n" in CONVERTED
    assert "::::{option} --schema [NAME=]FILE\n" in CONVERTED
    options = re.findall(r"^\.TP\n\.BI? \\-", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(options) >= 90 and CONVERTED.count("{option}") == len(options)
    assert "\n`publish`\n: Publishes a folder" in CONVERTED


def test_examples_are_code() -> None:
    assert "```sh\nremora dump --output regions.json regions\nremora verify regions.json regions\n```" in CONVERTED


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (".XY a", "12: unknown request .XY"),
        (".RS", "12: unknown request .RS"),
        (r"a \fBb\fR", r"12: unknown escape \f"),
        (r".B a \*(b", r"12: unknown escape \*"),
        (".nf\n.B a\n.fi", "13: unknown request .B in an example"),
    ],
)
def test_unknown_syntax_is_refused_with_its_line(line: str, fault: str) -> None:
    with pytest.raises(manual.UnknownSyntax, match=f"^{re.escape(fault)}$"):
        manual.converted(f"{MANUAL}{line}\n")


@pytest.mark.slow
def test_options_have_names_for_links(site: Path) -> None:
    page = (site / "remora-1.html").read_text(encoding="utf-8")
    for name in ("remora-dump-output", "remora-publish-base-url", "remora-keys-init-days", "remora-version"):
        assert f'id="cmdoption-{name}"' in page
