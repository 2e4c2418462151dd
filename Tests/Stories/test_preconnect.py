# SPDX-License-Identifier: Apache-2.0
#
# A program that connects before it is set up: the connection is the one that its settings come over.
"""Tests of the examples that connect ahead of time."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from Servers.bundle_server import BundleServer
from Servers.loopback import Response
from Stories.languages import CONNECTORS, SECONDS, Example

each = pytest.mark.parametrize("connector", CONNECTORS, ids=str)


@contextmanager
def running(connector: Example, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program, between pipes; it is ended when it takes too long."""
    command = [*connector.command, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        deadline = threading.Timer(SECONDS, program.kill)
        deadline.start()
        try:
            yield program
        finally:
            deadline.cancel()
            program.kill()


def told(program: subprocess.Popen[str], beginning: str) -> str:
    """The first line from here on that begins so."""
    assert program.stdout is not None
    return next(line.rstrip("\n") for line in program.stdout if line.startswith(beginning))


@each
def test_the_preconnect_example_fetches_its_settings_over_the_connection_that_it_opened_in_advance(
    connector: Example,
) -> None:
    with BundleServer() as server:
        server.answer(Response(status=204), "/hello")
        server.say(b'{"a": 1, "b": 2}', "/settings")
        with running(connector, server.url("/hello"), server.url("/settings")) as program:
            line = told(program, "log: pre-connected")
            rest, errors = program.communicate("\n", SECONDS)
        assert line == f"log: pre-connected to {server.origin}: HTTP status 204"
        assert "settings keys=2" in rest.splitlines() and (program.returncode, errors) == (0, "")
        assert server.connections == 1
        assert [one.path for one in server.requests][:2] == ["/hello", "/settings"]
        assert server.requests[0].query == {"app": "example", "platform": "linux"}
        server.stop()


@each
def test_the_preconnect_example_reads_its_settings_even_if_preconnecting_fails(connector: Example) -> None:
    with BundleServer() as server:
        server.say(b'{"a": 1}', "/settings")
        with running(connector, "http://127.0.0.1:1/", server.url("/settings")) as program:
            told(program, "log: cannot pre-connect to http://127.0.0.1:1: ")
            rest, errors = program.communicate("\n", SECONDS)
        assert "settings keys=1" in rest.splitlines() and (program.returncode, errors) == (0, "")
        server.stop()
