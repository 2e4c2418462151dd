# SPDX-License-Identifier: Apache-2.0
#
# The shortest example in each language; the README shows that in C and in Python.
"""Tests of the quickstart."""

from __future__ import annotations

import pytest

from Servers.v2_server import V2Server
from Stories.conftest import COLLECTION
from Stories.languages import LANGUAGES, Example

QUICKSTARTS = [Example(language, "quickstart") for language in (*LANGUAGES, "cpp")]

each = pytest.mark.parametrize("example", QUICKSTARTS, ids=str)


@each
def test_the_quickstart_prints_one_setting(example: Example, server: V2Server) -> None:
    done = example.run(server.url, COLLECTION, "banner", "/last_modified")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"/last_modified = {server.collection(COLLECTION).timestamp}\n"


@each
def test_the_quickstart_prints_the_default_for_an_unknown_key(example: Example, server: V2Server) -> None:
    done = example.run(server.url, COLLECTION, "nothing", "/n")
    assert (done.returncode, done.stdout) == (0, "/n = -1\n")


@each
def test_the_quickstart_prints_the_error_and_the_default_if_the_server_is_down(
    example: Example, server: V2Server
) -> None:
    server.stop()
    done = example.run(server.url, COLLECTION, "banner", "/n")
    assert done.stdout == "/n = -1\n"
    assert "127.0.0.1" in done.stderr


@each
def test_the_quickstart_fails_if_it_is_started_without_arguments(example: Example) -> None:
    done = example.run()
    assert done.returncode != 0
