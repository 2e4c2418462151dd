# SPDX-License-Identifier: Apache-2.0
#
# The binding for Go: its own tests, and the program of the guide. Its example is one of the watchers of the story.
"""Tests of the Go binding."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from Docs.documents import blocks
from Servers.v2_server import V2Server
from Stories.conftest import COLLECTION
from Stories.languages import GO, GO_PACKAGE, ROOT

GUIDE = ROOT / "docs" / "bindings.md"
MODULE = f"""
module host
go 1.19
require example.org/remora v0.0.0
replace example.org/remora => {GO_PACKAGE}
"""

pytestmark = pytest.mark.skipif(GO is None, reason="go is not installed")


def run_go(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the go command to its end."""
    return subprocess.run(
        [GO or "go", *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def test_gofmt_and_go_vet_report_nothing_about_the_go_package() -> None:
    formatted = subprocess.run(["gofmt", "-l", "."], cwd=GO_PACKAGE, capture_output=True, text=True, check=True)
    assert formatted.stdout == ""
    done = run_go(GO_PACKAGE, "vet", "./...")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_go_package_passes_its_tests() -> None:
    done = run_go(GO_PACKAGE, "test", "-count=1", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_program_in_the_go_guide_prints_a_value(server: V2Server, tmp_path: Path) -> None:
    (block,) = [block for block in blocks(GUIDE) if block.words == ("go",)]
    (tmp_path / "main.go").write_text(block.text, encoding="utf-8")
    (tmp_path / "go.mod").write_text(MODULE, encoding="utf-8")
    done = run_go(tmp_path, "run", ".", server.url, COLLECTION)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Hello\n", "")
