# SPDX-License-Identifier: Apache-2.0
#
# Pools of multiprocessing: whoever refreshes, every process of the pool has the new values
# soon, by reads alone and by its subscription, whatever made the process.
"""Pools of processes."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import remora

from Servers.v2_server import V2Server
from Servers.waiting import wait_until

COLLECTION = "pool"
PROGRAM = Path(__file__).resolve().parent / "pool_program.py"
SECONDS = 30.0

# make test-all runs each way to make processes with each way to read.
USUAL = [("fork", "subscription"), ("spawn", "reads"), ("forkserver", "subscription")]
OTHERS = [
    way for way in itertools.product(["fork", "spawn", "forkserver"], ["reads", "subscription"]) if way not in USUAL
]
WAYS = pytest.mark.parametrize(
    ("method", "way"), [*USUAL, *(pytest.param(*way, marks=pytest.mark.slow) for way in OTHERS)]
)


class Pool:
    """The program, and its answers."""

    def __init__(self, process: subprocess.Popen[str], way: str) -> None:
        self._process = process
        self._way = way

    def tell(self, word: str) -> list[dict[str, Any]]:
        """Has something done, and gives what every process of the pool sees after it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the program ended with status {self._process.wait(SECONDS)}"
        answers: list[dict[str, Any]] = json.loads(line)
        assert len({answer["pid"] for answer in answers}) == len(answers) > 1
        return answers

    def wait_for(self, n: int, version: int) -> None:
        """Asks until every process reads these values, and was told of them when it has a subscription."""
        wanted = {"n": n, "version": version, "told": version if self._way == "subscription" else 0}
        wait_until(
            lambda: all({**answer, **wanted} == answer for answer in self.tell("ask")),
            f"{wanted} in every process",
            SECONDS,
        )


@pytest.fixture
def server() -> Iterator[V2Server]:
    """Serves `COLLECTION`, whose record "banner" has n = 1."""
    with V2Server(None) as running:
        running.collection(COLLECTION).publish({"banner": {"n": 1}})
        yield running


@contextmanager
def pool(method: str, way: str, storage: Path, server: V2Server) -> Iterator[Pool]:
    """A running program, which must end with 0 and say nothing else."""
    command = [sys.executable, str(PROGRAM), method, way, str(storage), server.url, COLLECTION]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield Pool(process, way)
            _, errors = process.communicate(timeout=SECONDS)
            assert (process.returncode, errors) == (0, "")
        finally:
            process.kill()


@WAYS
def test_every_process_of_a_pool_reads_data_that_the_first_process_fetches(
    server: V2Server, tmp_path: Path, method: str, way: str
) -> None:
    collection = server.collection(COLLECTION)
    with pool(method, way, tmp_path / "storage", server) as processes:
        processes.tell("refresh")
        processes.wait_for(1, collection.timestamp)
        for n in (2, 3):
            version = collection.publish({"banner": {"n": n}})
            processes.tell("refresh")
            processes.wait_for(n, version)


@WAYS
def test_every_process_of_a_pool_reads_data_that_another_program_fetches(
    server: V2Server, tmp_path: Path, method: str, way: str
) -> None:
    collection, storage = server.collection(COLLECTION), tmp_path / "storage"
    with pool(method, way, storage, server) as processes, remora.Client(storage, server=server.url) as client:
        settings = client.collection(COLLECTION, trust="off")
        for n in (1, 2):
            version = collection.publish({"banner": {"n": n}})
            settings.refresh()
            processes.wait_for(n, version)
