# SPDX-License-Identifier: Apache-2.0
#
# The example that the README shows prints what it says; Tests/Stories has the others.
"""Tests of the quickstart."""

from __future__ import annotations

import subprocess

from Docs.conftest import COLLECTION
from Docs.documents import ROOT
from Servers.v2_server import V2Server

QUICKSTART = ROOT / "build" / "examples" / "quickstart"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs it to its end."""
    return subprocess.run([QUICKSTART, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_quickstart_prints_one_setting(server: V2Server) -> None:
    done = run(server.url, COLLECTION, "banner")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"last_modified = {server.collection(COLLECTION).timestamp}\n"


def test_quickstart_prints_the_default_for_an_unknown_key(server: V2Server) -> None:
    done = run(server.url, COLLECTION, "nothing")
    assert (done.returncode, done.stdout) == (0, "last_modified = -1\n")


def test_quickstart_says_what_is_wrong_and_still_reads(server: V2Server) -> None:
    server.stop()
    done = run(server.url, COLLECTION, "banner")
    assert (done.returncode, done.stdout) == (1, "last_modified = -1\n")
    assert "127.0.0.1" in done.stderr


def test_wrong_arguments_are_told() -> None:
    assert run().returncode == 2
