# SPDX-License-Identifier: Apache-2.0
#
# A program that opens what is attached to a record: downloaded once, then read from its file, and never anything else.
"""Tests of the examples that open attachments."""

from __future__ import annotations

from pathlib import Path

import pytest

from Servers.v2_server import ATTACHMENT, V2Server
from Stories.conftest import COLLECTION, RECORD
from Stories.languages import OPENERS, Example

CONTENT = b"The quick brown fox\n" * 1000
SIZE = len(CONTENT)
LOCATION = f"main/{COLLECTION}/fox.txt"

each = pytest.mark.parametrize("opener", OPENERS, ids=str)


def arguments(server: V2Server, storage: Path, key: str = "banner") -> tuple[str | Path, ...]:
    """What the examples are started with."""
    return (server.url, "off", COLLECTION, storage, key)


def attach(server: V2Server) -> str:
    """Attaches a file to the record "banner", and gives its SHA-256."""
    attachment = server.attachments.add(CONTENT, LOCATION, "text/plain")
    server.collection(COLLECTION).publish({"banner": {**RECORD, "attachment": attachment}})
    return str(attachment["hash"])


@each
def test_the_attachment_example_downloads_a_file_once_and_then_opens_it_from_disk(
    opener: Example, server: V2Server, tmp_path: Path
) -> None:
    path = tmp_path / "storage" / f"{attach(server)}.attachment"
    done = opener.run(*arguments(server, path.parent))
    assert (done.returncode, done.stderr) == (0, "")
    record, *progress, opened = done.stdout.splitlines()
    assert record == f"record banner filename=fox.txt mimetype=text/plain size={SIZE}"
    assert progress[-1] == f"progress {SIZE} of {SIZE}"
    assert opened == f"open size={SIZE} path={path}" and path.read_bytes() == CONTENT

    server.stop()
    done = opener.run(*arguments(server, path.parent))
    assert (done.returncode, done.stdout.splitlines()) == (0, [record, opened])
    assert "127.0.0.1" in done.stderr and server.count(ATTACHMENT) == 1


@each
def test_the_attachment_example_neither_opens_nor_stores_a_file_that_does_not_match_its_record(
    opener: Example, server: V2Server, tmp_path: Path
) -> None:
    attach(server)
    server.attachments.add(CONTENT.upper(), LOCATION)
    done = opener.run(*arguments(server, tmp_path / "storage"))
    assert done.returncode == 1 and "open " not in done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert list((tmp_path / "storage").glob("*.attachment")) == []


@each
@pytest.mark.parametrize("key", ["missing", "banner"])
def test_the_attachment_example_reports_a_missing_record_or_a_record_without_an_attachment(
    opener: Example, server: V2Server, tmp_path: Path, key: str
) -> None:
    done = opener.run(*arguments(server, tmp_path / "storage", key))
    assert (done.returncode, done.stdout) == (1, "")
    assert key in done.stderr and len(done.stderr.splitlines()) == 1
