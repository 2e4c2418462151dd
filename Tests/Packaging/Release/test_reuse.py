# SPDX-License-Identifier: Apache-2.0
"""Tests of REUSE.toml: `reuse lint` names a file without a licence."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from Docs.documents import ROOT


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the check of the step "licences" in a folder."""
    command = [sys.executable, "-m", "reuse", "lint", "--lines"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the rules of this one, and one file, which has a licence."""
    shutil.copy(ROOT / "REUSE.toml", tmp_path)
    shutil.copytree(ROOT / "LICENSES", tmp_path / "LICENSES")
    (tmp_path / "main.c").write_text("/* SPDX" + "-License-Identifier: Apache-2.0 */\n")
    return tmp_path


@pytest.mark.parametrize("name", ["source.c", "docs/guide.md", "scripts/tool", "Sources/Remora/New.swift"])
def test_a_source_or_document_without_a_licence_is_named(project: Path, name: str) -> None:
    assert lint(project).returncode == 0, lint(project).stdout
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("without a header\n")
    done = lint(project)
    named = done.stdout.strip().removeprefix(f"{project}/")
    assert (done.returncode, named) == (1, f"{name}: no license identifier")


def test_the_licence_text_that_tools_read_is_the_one_at_the_top() -> None:
    assert (ROOT / "LICENSES/Apache-2.0.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()
