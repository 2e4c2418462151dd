# SPDX-License-Identifier: Apache-2.0
#
# A checkout of its own for a test: nothing built, no .venv. Commands run in it as a user types them.
"""A copy of the checkout, and programs to build outside of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from Docs.documents import ROOT

BUILD = ROOT / "build"

HOST = """
#include <remora.h>
#include <stdio.h>
int main(void) {
  printf("%s", remora_version());
  return 0;
}
"""

LISTS = """cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES {languages})
add_executable(host host.c)
{lines}
"""


def version() -> str:
    """The version that a host prints."""
    header = (ROOT / "include" / "remora.h").read_text(encoding="utf-8")
    return header.split("#define REMORA_VERSION ")[1].split('"')[1]


def copy_checkout(place: Path) -> Path:
    """Copies the files that a fresh clone would have, with their changes of the moment."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        source, target = ROOT / name, place / name
        if source.is_file() and not source.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return place


def write_host(folder: Path, lines: str = "", languages: str = "C") -> Path:
    """Writes a project of one program, with these lines of CMake."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "host.c").write_text(HOST)
    (folder / "CMakeLists.txt").write_text(LISTS.format(languages=languages, lines=lines))
    return folder


def shell(line: str, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Runs a command line in a folder; it must succeed."""
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{line}: {done.stdout}"
    return done.stdout
