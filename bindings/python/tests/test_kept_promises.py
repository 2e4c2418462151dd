# SPDX-License-Identifier: Apache-2.0
"""What callbacks and ends keep to, whatever a host does."""

from __future__ import annotations

import asyncio
import copy
import pickle
import queue
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, RunPython
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

TELL_TWICE = """
import queue, sys
import remora

seen = queue.Queue()

def callback(event):
    seen.put(event.outcome)
    raise {error}("mine")

with remora.Client.in_memory(server=sys.argv[1]) as client:
    source = client.collection(sys.argv[2], trust="off")
    with source.subscribe(callback):
        for _ in range(2):
            source.refresh(30)
            seen.get(timeout=20)
"""


@pytest.mark.parametrize("error", ["ValueError", "SystemExit", "KeyboardInterrupt"])
def test_an_exception_in_a_callback_is_printed_and_the_next_callback_is_called(
    server: V2Server, collection: Collection, run_python: RunPython, error: str
) -> None:
    done = run_python(TELL_TWICE.format(error=error), server.url, collection.name)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count(f"{error}: mine") == 2 and "UnraisableHookArgs" not in done.stderr


def test_a_closed_source_calls_no_callback_even_if_an_error_that_it_raised_is_still_referenced(
    source: remora.Source, server: V2Server, collection: Collection
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    server.set_fault("changeset", v2_faults.status(503), times=1)
    with pytest.raises(remora.HttpError) as kept:
        source.refresh(30)
    subscription = source.subscribe(seen.put)
    other = source._client.collection(collection.name, trust="off")  # type: ignore[attr-defined]
    source.close()
    with other.subscribe(seen.put):
        other.refresh(30)
        assert seen.get(timeout=SECONDS).outcome is remora.Outcome.UNCHANGED
    assert seen.empty() and kept.value.http_status == 503
    del kept
    subscription.close()
    other.close()


def test_a_key_of_a_subclass_of_str_is_looked_up_by_its_text(source: remora.Source) -> None:
    class Key(str):
        def __str__(self) -> str:
            return "other"

        def encode(self, *_: object) -> bytes:
            return b"other"

    assert source.get_int(Key("banner"), "/n") == 5
    assert source.get_int("other", "/n") is None and source.get_int("banner", Key("/n")) == 5


def test_an_unreferenced_asyncio_client_is_closed_even_if_its_event_loop_is_closed_first(
    server: V2Server, collection: Collection
) -> None:
    async def drop() -> None:
        client = remora.aio.Client.in_memory(server=server.url)
        source = client.collection(collection.name, trust="off", on_event=lambda event: None)
        await source.refresh(30)

    loop = asyncio.new_event_loop()
    loop.run_until_complete(drop())
    loop.close()  # The fixtures see that nothing is left.


def test_the_error_in_the_snapshot_that_wait_returns_has_no_traceback(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.status(503), times=1)
        snapshot = await source.wait(30)
        assert snapshot.error is not None and snapshot.error.__traceback__ is None

    play(scene)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_callback_is_called_although_five_thousand_subscriptions_were_dropped(
    client: remora.Client, source: remora.Source
) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    for _ in range(5000):
        source.subscribe(seen.put)
    with source.subscribe(seen.put, replay=True):
        assert seen.get(timeout=SECONDS).cause is remora.Cause.OPENED
    wait_until(lambda: not client._core._buried, "the end of what was dropped")


def test_copying_the_info_of_a_source_returns_the_same_object_and_pickling_is_a_type_error(
    source: remora.Source,
) -> None:
    info = source.info()
    assert copy.copy(info) is info and copy.deepcopy(info) is info
    with pytest.raises(TypeError, match="SourceInfo"):
        pickle.dumps(info)


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"headers": {"A": None}}, TypeError, "headers"),
        ({"headers": 1}, TypeError, "headers"),
        ({"headers": [("a",)]}, TypeError, "headers"),
        ({"headers": {"A: x": "b"}}, ValueError, "colon"),
        ({"logger": 1}, TypeError, "logger"),
        ({"max_body_bytes": 2**63}, ValueError, "max_body_bytes"),
    ],
)
def test_an_error_about_an_invalid_option_of_a_client_names_the_option(
    options: dict[str, Any], error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        remora.Client.in_memory(**options)


def test_diff_of_a_snapshot_with_anything_but_a_snapshot_is_a_type_error(source: remora.Source) -> None:
    with pytest.raises(TypeError, match="newer"):
        source.snapshot().diff(1)  # type: ignore[arg-type]
