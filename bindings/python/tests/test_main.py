# SPDX-License-Identifier: Apache-2.0
"""`python -m remora` is the command line tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = os.environ["REMORA_LIBRARY"]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of the library, in a folder without the tool."""
    (tmp_path / "lib").mkdir()
    return Path(shutil.copy(LIBRARY, tmp_path / "lib" / "libremora.so.0"))


def put_tool(folder: Path) -> None:
    """Puts a script in place of the tool: it prints its folder and its arguments, and exits with 3."""
    folder.mkdir(exist_ok=True)
    (folder / "remora").write_text('#!/bin/sh\necho "${0%/*}" "$@"\nexit 3\n', encoding="utf-8")
    (folder / "remora").chmod(0o755)


def run_module(library: Path, path: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "REMORA_LIBRARY": str(library), "PATH": path}
    command = [sys.executable, "-m", "remora", "dump", "--output", "a b"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)


@pytest.mark.parametrize("has_both", [True, False])
def test_python_m_remora_runs_the_tool_beside_the_library_or_else_the_tool_in_path(
    library: Path, tmp_path: Path, has_both: bool
) -> None:
    put_tool(tmp_path / "bin")
    if has_both:
        put_tool(library.parent)
    done = run_module(library, str(tmp_path / "bin"))
    folder = library.parent if has_both else tmp_path / "bin"
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{folder} dump --output a b\n", "")


def test_python_m_remora_fails_with_status_127_if_the_tool_is_missing(library: Path) -> None:
    done = run_module(library, "")
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr.startswith("remora: the command line tool remora is not in ")
    assert str(library.parent) in done.stderr and done.stderr.count("\n") == 1
