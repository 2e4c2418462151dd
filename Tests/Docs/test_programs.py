# SPDX-License-Identifier: Apache-2.0
#
# Programs in documents: compiled as C99 without a warning, and run where they say so. A block is one when its fence
# reads "c program"; "c program run A B" also runs it with those arguments, where SERVER is the test's server and
# STORAGE a new directory.
"""Tests of the programs in documents."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from Docs.conftest import compile_program
from Docs.documents import ROOT, Block, blocks, documents
from Servers.v2_server import V2Server

PROGRAMS = [block for document in documents() for block in blocks(document) if block.is_program]


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_a_program_compiles_and_does_what_it_is_for(block: Block, server: V2Server, tmp_path: Path) -> None:
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(block.text, encoding="utf-8")
    compile_program(source, program)
    if block.arguments is None:
        return
    places = {"SERVER": server.url, "STORAGE": str(tmp_path / "storage")}
    words = [places.get(word, word) for word in block.arguments]
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("name", ["c/quickstart.c", "python/quickstart.py", "rust/quickstart.rs"])
def test_the_readme_shows_the_quickstart_as_it_is(name: str) -> None:
    quickstart = (ROOT / "examples" / name).read_text(encoding="utf-8")
    assert quickstart in [block.text for block in blocks(ROOT / "README.md")]


def test_the_documents_have_programs() -> None:
    assert len(PROGRAMS) >= 3
