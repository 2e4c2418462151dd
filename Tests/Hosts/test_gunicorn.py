# SPDX-License-Identifier: Apache-2.0
#
# Workers that gunicorn forked from one program with open settings: whoever refreshes, each
# of them has the new values soon, and is told of them, without a hook of the application's.
"""gunicorn with --preload and four workers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import remora

from Hosts.gunicorn_server import WORKERS, Answer, Gunicorn
from Servers.v2_server import V2Server

COLLECTION = "forked"
AT_IMPORT = ["nothing", "refresh", "subscribe", "refresh and subscribe"]
# make test-all runs every worker class with all that a program may do at its import.
USUAL = [("sync", "refresh and subscribe"), ("gthread", "subscribe")]
OTHERS = [way for way in itertools.product(["sync", "gthread"], AT_IMPORT) if way not in USUAL]


def shows(n: int, version: int, told: bool = False) -> Callable[[Answer], bool]:
    """Whether an answer has these values, in every way of reading; and, if asked for, was told of them."""
    return lambda answer: (
        (answer["n"], answer["record"], answer["version"]) == (n, n, version)
        and (not told or answer["told"] == version)
    )


@pytest.fixture
def server() -> Iterator[V2Server]:
    """Serves `COLLECTION`, whose record "banner" has n = 1."""
    with V2Server(None) as running:
        running.collection(COLLECTION).publish({"banner": {"n": 1}})
        yield running


@contextmanager
def gunicorn(worker_class: str, server: V2Server, storage: Path | None, at_import: str) -> Iterator[Gunicorn]:
    """A running gunicorn, which must end cleanly."""
    environment = {"APP_STORAGE": str(storage or ""), "APP_SERVER": server.url, "APP_COLLECTION": COLLECTION}
    with Gunicorn(worker_class, **environment, APP_AT_IMPORT=at_import) as running:
        yield running
        status = running.terminate()
        assert (status, running.crashes) == (0, []), running.log


@pytest.mark.parametrize(
    ("worker_class", "at_import"), [*USUAL, *(pytest.param(*way, marks=pytest.mark.slow) for way in OTHERS)]
)
def test_every_gunicorn_worker_reads_and_is_notified_of_data_that_one_worker_fetches(
    server: V2Server, tmp_path: Path, worker_class: str, at_import: str
) -> None:
    collection = server.collection(COLLECTION)
    told = "subscribe" in at_import
    with gunicorn(worker_class, server, tmp_path / "storage", at_import) as running:
        if "refresh" not in at_import:
            running.ask("/refresh")
        running.ask_everybody("/", shows(1, collection.timestamp), "the first values in every worker")
        for n in (2, 3):
            version = collection.publish({"banner": {"n": n}})
            running.ask("/refresh")
            running.ask_everybody("/", shows(n, version, told), f"n = {n} in every worker")


def test_every_gunicorn_worker_reads_data_that_another_process_fetches(server: V2Server, tmp_path: Path) -> None:
    collection, storage = server.collection(COLLECTION), tmp_path / "storage"
    with gunicorn("sync", server, storage, "refresh and subscribe") as running:
        running.ask_everybody("/", shows(1, collection.timestamp), "the first values in every worker")
        version = collection.publish({"banner": {"n": 2}})
        with remora.Client(storage, server=server.url) as client:
            client.collection(COLLECTION, trust="off").refresh()
        running.ask_everybody("/", shows(2, version, told=True), "the new values in every worker")


@pytest.mark.parametrize("worker_class", ["sync", pytest.param("gthread", marks=pytest.mark.slow)])
def test_without_a_storage_directory_each_gunicorn_worker_fetches_its_own_data(
    server: V2Server, worker_class: str
) -> None:
    collection = server.collection(COLLECTION)
    with gunicorn(worker_class, server, None, "refresh and subscribe") as running:
        running.ask_everybody("/", shows(1, collection.timestamp), "the first values in every worker")
        version = collection.publish({"banner": {"n": 2}})
        running.ask_everybody("/refresh", shows(2, version), "the new values in every worker that refreshes")
        running.ask_everybody("/", shows(2, version, told=True), "the new values in every worker")


def test_a_gunicorn_worker_that_replaces_a_killed_worker_reads_the_same_data_as_the_others(
    server: V2Server, tmp_path: Path
) -> None:
    collection = server.collection(COLLECTION)
    with gunicorn("sync", server, tmp_path / "storage", "refresh and subscribe") as running:
        running.ask_everybody("/", shows(1, collection.timestamp), "the first values in every worker")
        version = collection.publish({"banner": {"n": 2}})
        running.ask("/refresh")
        before = running.ask_everybody("/", shows(2, version, told=True), "the new values in every worker")
        victim = next(iter(before))
        running.kill(victim)
        after = running.ask_everybody("/", shows(2, version), "the same values in the new worker")
        assert victim not in after and len(after) == WORKERS
        version = collection.publish({"banner": {"n": 3}})
        running.ask("/refresh")
        running.ask_everybody("/", shows(3, version, told=True), "newer values in every worker")
