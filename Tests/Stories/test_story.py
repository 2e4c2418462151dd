# SPDX-License-Identifier: Apache-2.0
#
# The story: a program begins with packaged values, fetches, is told of an edit, and another
# program reads what it stored when the server is gone. Kinto serves and signs; every
# language tells it word for word alike, and reads what any other language stored.
"""The same story in every language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from Servers.demo_records import COLLECTION, RECORDS, packaged_json
from Servers.kinto_server import KintoServer
from Stories.languages import READERS, SECONDS, WATCHERS, Example
from Stories.transcript import state, update


@dataclass(frozen=True)
class Told:
    """What a watching program printed, what it should have, and what is left of it."""

    lines: list[str]
    expected: list[str]
    version: int
    source: tuple[str | Path, ...]
    """The arguments by which every example finds the collection and its storage."""


@pytest.fixture(scope="module", params=WATCHERS, ids=str)
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """Lets an example live through the story; the server is gone when the tests look."""
    directory = tmp_path_factory.mktemp(str(request.param))
    packaged = directory / "packaged.json"
    packaged.write_text(packaged_json(), encoding="utf-8")
    with KintoServer() as server:
        server.admin.create_collection(COLLECTION)
        for key, fields in RECORDS.items():
            server.admin.put_record(COLLECTION, key, fields)
        server.admin.publish(COLLECTION)
        before = server.admin.changeset(COLLECTION)
        source = (server.url, server.root_sha256, COLLECTION, directory / "storage")
        with request.param.start(*source, packaged) as program:
            program.wait_for_line("^ready$", SECONDS)
            server.admin.edit_record(COLLECTION, "banner", {"text": "Edited while you watched"})
            server.admin.put_record(COLLECTION, "surprise", {"n": 1})
            server.admin.publish(COLLECTION)
            program.wait_for_end(SECONDS)
        after = server.admin.changeset(COLLECTION)
    start = json.loads(packaged_json())
    expected = [*state(start, "packaged"), *update(start["data"], before), "ready", *update(before["changes"], after)]
    yield Told(program.seen.splitlines(), expected, after["timestamp"], source)


def test_the_watch_example_prints_packaged_then_fetched_then_changed_data(told: Told) -> None:
    assert told.lines == told.expected


@pytest.mark.parametrize("reader", READERS, ids=str)
def test_the_read_example_of_every_language_reads_the_stored_data_without_a_server(told: Told, reader: Example) -> None:
    done = reader.run(*told.source, "banner", "/text")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f'origin=cached version={told.version} verified=yes\n"Edited while you watched"\n'
