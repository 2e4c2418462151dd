# SPDX-License-Identifier: Apache-2.0
#
# A server for the session, and for each test a collection of its own. After each test nothing may be left: no receiver,
# descriptor, thread, snapshot or attachment. Run with PYTHONPATH=bindings/python/src:Tests and REMORA_LIBRARY.
"""Fixtures of the binding's tests."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

import remora
import remora.aio
from remora._ffi.attachments import AttachmentHandle
from remora._ffi.keys import KeyHandle
from remora._ffi.reads import SnapshotHandle
from remora._ffi.registry import receivers
from programs import BEGIN
from Servers.pki import Pki, make_pki
from Servers.signals import set_default_signals_of_children
from Servers.v2_collection import Collection
from Servers.v2_server import ATTACHMENT, V2Server
from Servers.waiting import wait_until
from settings_server import SettingsServer

set_default_signals_of_children()

BANNER = {"text": "Hi", "on": True, "n": 5, "ratio": 0.75, "whole": 2.0, "list": [1, {"deep": "x"}], "nothing": None}

_numbers = itertools.count(1)

SECONDS = 20.0
T = TypeVar("T")
Scene = Callable[[remora.aio.Client, remora.aio.Source], Awaitable[T]]
RunPython = Callable[..., "subprocess.CompletedProcess[str]"]
RunSilently = Callable[..., None]


@pytest.fixture(scope="session")
def server() -> Iterator[V2Server]:
    """Serves without signatures."""
    with V2Server(None) as running:
        yield running


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make_pki(tmp_path_factory.mktemp("pki"))


@pytest.fixture(scope="session")
def signing_server(pki: Pki) -> Iterator[V2Server]:
    with V2Server(pki) as running:
        yield running


@pytest.fixture
def collection(server: V2Server) -> Iterator[Collection]:
    """A new collection with the one record "banner"."""
    made = server.collection(f"python-{next(_numbers)}")
    made.publish({"banner": BANNER})
    yield made
    server.clear_faults()


@pytest.fixture
def names(server: V2Server) -> Iterator[list[str]]:
    """The names of two new collections with a record each."""
    made = [f"sync-{next(_numbers)}" for _ in range(2)]
    for name in made:
        server.collection(name).publish({"a": {"n": 1}})
    yield made
    server.clear_faults()


@dataclass
class Attached:
    """The collection with files attached to its records."""

    server: V2Server
    collection: Collection

    def publish(self, key: str, content: bytes, **said: object) -> str:
        """Attaches a file to a record; returns its location."""
        location = f"{self.collection.name}/{key}-{hashlib.sha256(content).hexdigest()[:8]}.bin"
        member = self.server.attachments.add(content, location)
        self.collection.publish({key: {"title": key, "attachment": {**member, **said}}})
        return location

    @property
    def requests(self) -> int:
        """The number of requests for files, of all collections."""
        return self.server.count(ATTACHMENT)


@pytest.fixture
def attached(server: V2Server, collection: Collection) -> Attached:
    """The collection, to attach files to its records."""
    return Attached(server, collection)


def attachment_of(source: remora.Source, key: str = "icon") -> remora.Attachment:
    """The attachment of a record of the newest version."""
    source.refresh(SECONDS)
    attachment = source.record(key).attachment
    assert attachment is not None
    return attachment


@pytest.fixture
def stored(server: V2Server, collection: Collection, tmp_path: Path) -> Iterator[remora.Source]:
    """The collection, of a client with a storage directory."""
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        made = client.collection(collection.name, trust="off")
        yield made
        made.close()


@pytest.fixture
def client(server: V2Server) -> Iterator[remora.Client]:
    """A client in memory whose callbacks run on its thread."""
    with remora.Client.in_memory(server=server.url) as made:
        yield made


@pytest.fixture
def source(client: remora.Client, collection: Collection) -> Iterator[remora.Source]:
    """The collection, refreshed."""
    made = client.collection(collection.name, trust="off")
    made.refresh(30)
    yield made
    made.close()


@pytest.fixture
def host() -> Iterator[remora.Client]:
    """A client in memory, of no server."""
    with remora.Client.in_memory() as made:
        yield made


@pytest.fixture
def settings() -> Iterator[SettingsServer]:
    """A server of one dictionary."""
    with SettingsServer() as running:
        yield running
        running.stop()


def resources() -> dict[str, Any]:
    """Counts what this process holds of everything that could leak."""
    names = map(_target, os.listdir("/proc/self/fd"))
    ours = [name for name in names if name.startswith(("pipe:", "anon_inode:"))]
    threads = sorted(one.name for one in threading.enumerate() if one.name.startswith("remora"))
    handles = [type(one) for one in gc.get_objects() if isinstance(one, (AttachmentHandle, KeyHandle, SnapshotHandle))]
    return {"receivers": len(receivers), "descriptors": len(ours), "threads": threads, "handles": len(handles)}


def _target(number: str) -> str:
    """What a descriptor refers to; "" if it was closed since it was listed."""
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except FileNotFoundError:
        return ""


@pytest.fixture(autouse=True)
def _nothing_is_left(_process_is_warm: None) -> Iterator[None]:
    gc.collect()
    before = resources()
    yield

    def is_as_before() -> bool:
        gc.collect()
        return resources() == before

    try:
        wait_until(is_as_before, "everything to be released", 5)
    except TimeoutError:
        assert resources() == before


@pytest.fixture(scope="session")
def _process_is_warm(server: V2Server) -> None:
    """The library's own threads and descriptors live as long as the process: they are there before anything is
    counted."""
    with remora.Client.in_memory(server=server.url) as warm:
        source = warm.collection("warm", trust="off")
        with source.subscribe(lambda _: None), pytest.raises(remora.HttpError):
            source.refresh(30)
    wait_until(lambda: not resources()["threads"], "the threads of the closed client to end", 5)
    # Modules and servers stay until the end: without them each collection takes a tenth of the time.
    gc.collect()
    gc.freeze()


@pytest.fixture
def run_python(tmp_path: Path) -> RunPython:
    """Runs a program in a process of its own; what is passed is its argv."""

    def run(
        program: str, *arguments: object, seconds: float = 60, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "program.py"
        file.write_text(program, encoding="utf-8")
        command = [sys.executable, "-W", "error", str(file), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, env={**os.environ, **environment}
        )

    return run


@pytest.fixture
def run_silently(server: V2Server, collection: Collection, run_python: RunPython) -> RunSilently:
    """Runs a program that uses the collection, which must exit with 0 and print nothing."""

    def run(program: str, *arguments: object, begin: str = BEGIN) -> None:
        done = run_python(begin + program, server.url, collection.name, *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    return run


@pytest.fixture
def play(server: V2Server, collection: Collection) -> Callable[[Scene[T]], T]:
    """Runs a scene in a loop of its own, with the collection refreshed."""

    def run(scene: Scene[T]) -> T:
        async def main() -> T:
            async with remora.aio.Client.in_memory(server=server.url) as client:
                source = client.collection(collection.name, trust="off")
                await source.refresh(30)
                return await asyncio.wait_for(scene(client, source), SECONDS)

        return asyncio.run(main(), debug=True)

    return run


async def until(condition: Callable[[], object]) -> None:
    """Lets the loop run until a condition holds; the scene has the deadline."""
    while not condition():
        await asyncio.sleep(0)


async def anext_of(stream: Any) -> Any:
    """`anext`, which Python 3.9 does not have."""
    return await stream.__anext__()
