# SPDX-License-Identifier: Apache-2.0
#
# A server that does not sign, with one collection, and the way from a source file to a program.
"""Fixtures of the documents' tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Docs.tutorial import Reader, tutorial
from Servers.ports import free_port
from Servers.v2_server import V2Server

sys.path.append(str(ROOT / "benchmarks"))

COLLECTION = "demo"
RECORD = {"text": "Hello", "colors": ["teal", "sand"]}


@pytest.fixture
def server() -> Iterator[V2Server]:
    """Serves `COLLECTION` with the one record "banner", unsigned."""
    with V2Server(None) as running:
        running.collection(COLLECTION).publish({"banner": RECORD})
        yield running


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Somebody who has followed the tutorial of the guide to publishing up to the programs."""
    reader = Reader(tmp_path, free_port())
    with tutorial(reader):
        yield reader


COMPILERS = {
    ".c": [os.environ.get("CC", "cc"), "-std=c99", "-pedantic"],
    ".cpp": [os.environ.get("CXX", "c++"), "-std=c++17", "-Wpedantic", "-Wconversion"],
}


def compile_program(source: Path, program: Path) -> None:
    """Compiles as a strict host in C99 or C++17 would, and links against the built library."""
    library = ROOT / "build"
    command = [*COMPILERS[source.suffix], "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{ROOT / 'include'}", "-o", str(program), str(source)]
    command += [f"-L{library}", "-lremora", f"-Wl,-rpath,{library}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
