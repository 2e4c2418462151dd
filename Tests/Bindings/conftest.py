# SPDX-License-Identifier: Apache-2.0
#
# The header, read once; and where Python finds the package, and the package the library.
"""Fixtures of the bindings' tests."""

from __future__ import annotations

import os
import sys

import pytest

from Bindings.c_header import ROOT, Header, read_header
from Bindings.c_layout import Layout, read_layouts

sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))
os.environ.setdefault("REMORA_LIBRARY", str(ROOT / "build" / "libremora.so"))


@pytest.fixture(scope="session")
def header() -> Header:
    return read_header()


@pytest.fixture(scope="session")
def c_layouts(header: Header, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Layout]:
    return read_layouts(header, tmp_path_factory.mktemp("layouts"))
