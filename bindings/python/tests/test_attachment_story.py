# SPDX-License-Identifier: Apache-2.0
#
# From the editor who attaches a file to the program that reads it, with the real server.
"""The story of an attachment."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import remora
import remora.aio
from conftest import SECONDS
from Servers.kinto_server import KintoServer

FIRST = random.Random(1).randbytes(3_000_000)
SECOND = b"%PDF-1.7\n" + random.Random(2).randbytes(100_000)


@pytest.fixture
def kinto() -> Iterator[KintoServer]:
    with KintoServer() as running:
        running.admin.create_collection("models")
        yield running


def publish(kinto: KintoServer, filename: str, content: bytes) -> None:
    """What an editor does."""
    kinto.admin.put_record("models", "german", {"language": "de"})
    kinto.admin.attach("models", "german", filename, content)
    kinto.admin.publish("models")


def test_an_attachment_goes_from_an_editor_to_a_program_without_a_network(kinto: KintoServer, tmp_path: Path) -> None:
    publish(kinto, "model.csv", FIRST)
    with remora.Client(tmp_path, server=kinto.url) as client:
        models = client.collection("models", root_sha256=kinto.root_sha256)
        assert client.sync(SECONDS).updated == 1
        first = models.record("german")
        assert first.attachment is not None and first.fields["language"] == "de"
        assert (first.attachment.filename, first.attachment.size) == ("model.csv", len(FIRST))
        told: list[tuple[int, int]] = []
        with first.attachment.open(SECONDS, progress=lambda *progress: told.append(progress)) as opened:
            assert opened.data == FIRST and told[-1] == (len(FIRST), len(FIRST))

        publish(kinto, "model.pdf", SECOND)
        assert client.sync(SECONDS).updated == 1
        second = models.record("german").attachment
        assert second is not None and second.filename == "model.pdf" and second.read(SECONDS) == SECOND
        assert first.attachment.read(0) == FIRST

    kinto.stop()
    kinto.files.stop()
    with remora.Client(tmp_path, server=kinto.url) as client:
        models = client.collection("models", root_sha256=kinto.root_sha256)
        third = models.record("german").attachment
        assert third is not None and third.read(0) == SECOND == third.read(local=True)
        with pytest.raises(remora.NetworkError):
            models.refresh(SECONDS)

    async def read() -> bytes:
        async with remora.aio.Client(tmp_path, server=kinto.url) as client:
            source = client.collection("models", root_sha256=kinto.root_sha256)
            attachment = source.record("german").attachment
            assert attachment is not None
            return await attachment.read(SECONDS)

    assert asyncio.run(read()) == SECOND
