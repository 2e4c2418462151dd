# SPDX-License-Identifier: Apache-2.0
#
# The tool's page: its shell blocks run and print what stands below them, and it lists exactly the tool's options.
"""Tests of docs/tool.md."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from Docs.documents import ROOT, Block, blocks
from Servers.pki import Pki, make_pki
from Servers.v2_server import V2Server

PAGE = ROOT / "docs" / "tool.md"
SCRIPTS = [block for block in blocks(PAGE) if block.words == ("sh", "tool")]


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make_pki(tmp_path_factory.mktemp("pki"))


@pytest.fixture
def signed(pki: Pki) -> Iterator[V2Server]:
    """A server with the collection of the page."""
    with V2Server(pki) as running:
        running.collection("regions").publish({"eu": {"cities": 2}, "us": {"cities": 3}})
        yield running


@pytest.mark.parametrize("script", SCRIPTS, ids=str)
def test_a_script_on_the_page_about_the_tool_prints_the_output_that_the_page_shows(
    script: Block, signed: V2Server, pki: Pki, tmp_path: Path
) -> None:
    (expected,) = [block for block in blocks(PAGE) if block.number == script.number + 1]
    path = f"{ROOT / 'build'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", "-c", script.text], cwd=tmp_path, env={"PATH": path, "SERVER": signed.url, "ROOT": pki.root_sha256},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert expected.words == ("text",)
    assert timeless(done.stdout) == timeless(expected.text)


@pytest.mark.parametrize(
    "command",
    ["dump", "verify", "seed", "keys init", "keys renew", "keys show", "publish", "check"]
    + ["list", "get", "explain", "diff", "watch"],
)
def test_the_page_about_the_tool_lists_exactly_the_options_of_each_command(command: str) -> None:
    shown = subprocess.run(
        [ROOT / "build" / "remora", "help", *command.split()], capture_output=True, text=True, check=True
    )
    options = re.findall(r"^  (--[a-z0-9-]+(?: [][A-Z=]+)?)  ", shown.stdout, re.MULTILINE)
    listed = rows(command.capitalize())
    shared = {option.split()[0]: option for option in rows("Shared options")}
    for names in re.findall(
        r"^\[Shared options\][^:]*: (.*?)\.$", section(command.capitalize()), re.MULTILINE | re.DOTALL
    ):
        listed += [shared[name] for name in re.findall(r"`(--.*?)`", names)]
    assert options and sorted([*listed, shared["--help"]]) == sorted(options)


def section(heading: str) -> str:
    """The text of a section of the page."""
    return PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(heading: str) -> list[str]:
    """The options in the table of a section."""
    return re.findall(r"^\| `(--[^`]+)` \|", section(heading), re.MULTILINE)


def timeless(text: str) -> str:
    """A text with the same time everywhere."""
    return re.sub(r"\b\d{13}\b", "NOW", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "THEN", text))
