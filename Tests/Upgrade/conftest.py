# SPDX-License-Identifier: Apache-2.0
"""The servers and the previous library of these tests."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from Servers.pki import make_pki
from Servers.static_server import RecordingStaticServer
from Servers.v2_server import V2Server
from Upgrade.libraries import PREVIOUS_COMMIT, ROOT, Library
from Upgrade.story import Servers


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Servers that have published a first edition."""
    pki = make_pki(tmp_path / "pki")
    with V2Server(pki) as collections, RecordingStaticServer() as bundle:
        servers = Servers(collections, bundle, pki)
        servers.publish("first", 1)
        yield servers


@pytest.fixture(scope="session")
def previous() -> Library:
    """The library of the previous version, built from the history of the project."""
    command = [str(ROOT / "scripts" / "build-previous"), PREVIOUS_COMMIT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        pytest.skip(f"the history does not contain {PREVIOUS_COMMIT}")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    tree = ROOT / "build" / "previous" / PREVIOUS_COMMIT
    return Library(tree, tree / "build" / "libremora.so")
