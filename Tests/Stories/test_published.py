# SPDX-License-Identifier: Apache-2.0
#
# The story of `remora publish` in every language: a web server has the tree, a program reads it and requires trust, and
# another process publishes and renews the keys meanwhile.
"""Published trees, read in every language."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from EndToEnd import tool
from EndToEnd.publishing import Publisher
from Servers.tree_servers import Nginx, PythonServer
from Stories.published import COMMANDS, Reader, reason_to_skip

ROUNDS = 12
READERS = [(language, Nginx) for language in COMMANDS] + [("c", PythonServer), ("python", PythonServer)]


@dataclass(frozen=True)
class Story:
    """A publisher, the server of its tree, and the language of the program."""

    language: str
    publisher: Publisher
    server: Nginx | PythonServer

    def reader(self, storage: str = "storage", root: str | None = None) -> Reader:
        place = self.publisher.directory / storage
        return Reader(self.language, self.server.url, root or self.publisher.root, self.server.ca_file, place)

    def write(self, per_day: int, *more: str) -> None:
        self.publisher.write(
            "main/limits.json", [{"id": "uploads", "per_day": per_day}, *({"id": one} for one in more)]
        )


@pytest.fixture(params=READERS, ids=lambda one: f"{one[0]}-{one[1].__name__}")
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Story]:
    """A tree with a filtered record and an attachment."""
    language, kind = request.param
    if missing := reason_to_skip(language):
        pytest.skip(missing)
    publisher = Publisher(tmp_path)
    with kind(publisher.tree, tmp_path) as server:
        publisher.base_url = server.url
        told = Story(language, publisher, server)
        told.write(20, "other")
        versions = {"new": "2.0", "newer": "3.0"}
        filters = [{"id": one, "filter_expression": f"env.version >= '{number}'"} for one, number in versions.items()]
        publisher.write("main/files.json", [{"id": "logo"}, *filters])
        publisher.write("main/files/logo", b"first")
        publisher.publish()
        yield told


def test_a_program_reads_updates_deletions_attachments_filtered_records_and_syncs(story: Story) -> None:
    state = {"per_day": 20, "limits": 2, "files": 2, "verified": True}
    with story.reader() as reader:
        assert reader.ask("sync") == {"updated": 2, "unchanged": 0, "failed": 0}
        assert reader.ask("refresh") == state
        assert reader.ask("attachment") == {"content": "first"}
        story.write(25, "other")
        story.publisher.publish()
        assert reader.ask("refresh") == {**state, "per_day": 25}
        story.write(25)
        story.publisher.write("main/files/logo", b"second")
        story.publisher.publish()
        assert reader.ask("sync") == {"updated": 2, "unchanged": 0, "failed": 0}
        assert reader.ask("refresh") == {**state, "per_day": 25, "limits": 1}
        assert reader.ask("attachment") == {"content": "second"}
        assert reader.ask("sync") == {"updated": 0, "unchanged": 2, "failed": 0}


def test_a_program_reads_while_another_process_publishes_and_renews_the_keys(story: Story) -> None:
    failures: list[tool.Ended] = []
    done = threading.Event()

    def publish() -> None:
        for number in range(1, ROUNDS + 1):
            story.write(20 + number, "other")
            ended = [story.publisher.run()]
            if number % 3 == 0:
                ended += [tool.run("keys", "renew", story.publisher.keys), story.publisher.run()]
            failures.extend(one for one in ended if one.status)
        done.set()

    worker = threading.Thread(target=publish)
    worker.start()
    seen = []
    with story.reader() as reader:
        while not done.is_set():
            seen.append(reader.ask("refresh"))
        worker.join()
        assert reader.ask("refresh") == {"per_day": 20 + ROUNDS, "limits": 2, "files": 0, "verified": True}
        assert reader.ask("sync") == {"updated": 1, "unchanged": 1, "failed": 0}
    assert failures == [] and len(seen) > 1
    assert [one["per_day"] for one in seen] == sorted(one["per_day"] for one in seen), seen


def test_a_program_refuses_a_tree_of_another_root_than_the_pinned_one(story: Story) -> None:
    with story.reader(root="00" * 32) as reader:
        error = reader.ask("refresh")["error"]
        assert error.replace("_", "").lower().endswith("rootmismatch")
        assert reader.ask("sync") == {"updated": 0, "unchanged": 0, "failed": 2}
