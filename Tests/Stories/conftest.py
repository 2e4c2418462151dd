# SPDX-License-Identifier: Apache-2.0
#
# The examples, built, and a server that does not sign for what needs no story.
"""Fixtures of the examples' tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from Servers.v2_server import V2Server
from Stories.languages import prepare

COLLECTION = "demo"
RECORD = {"text": "Hello", "colors": ["teal", "sand"]}


@pytest.fixture(scope="session", autouse=True)
def _examples_are_built() -> None:
    prepare()


@pytest.fixture
def server() -> Iterator[V2Server]:
    """Serves `COLLECTION` with the one record "banner", unsigned."""
    with V2Server(None) as running:
        running.collection(COLLECTION).publish({"banner": RECORD})
        yield running
