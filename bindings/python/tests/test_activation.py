# SPDX-License-Identifier: Apache-2.0
"""When what is fetched becomes live."""

from __future__ import annotations

import asyncio
import queue
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import BANNER, SECONDS
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server


def opened(
    server: V2Server, collection: Collection, storage: Path | None = None, **options: Any
) -> tuple[remora.Client, remora.Source]:
    client = remora.Client(storage or ":memory:", server=server.url)
    return client, client.collection(collection.name, trust="off", **options)


@pytest.mark.parametrize("activation", ["manual", remora.Activation.MANUAL])
def test_with_manual_activation_the_old_data_is_read_until_the_program_activates_fetched_data(
    server: V2Server, collection: Collection, activation: Any
) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    client, source = opened(server, collection, activation=activation, on_event=events.put)
    with client:
        assert events.get(timeout=SECONDS).staged is None
        assert source.activate() is remora.Outcome.UNCHANGED
        assert source.refresh(30) is remora.Outcome.STAGED
        staged = events.get(timeout=SECONDS)
        assert (staged.cause, staged.outcome) == (remora.Cause.REFRESHED, remora.Outcome.STAGED)
        assert staged.staged is not None and staged.staged["banner"] and len(staged.new) == len(source) == 0
        assert source.info().has_staged is True
        assert source.activate() is remora.Outcome.UPDATED
        activated = events.get(timeout=SECONDS)
        assert (activated.cause, activated.staged) == (remora.Cause.ACTIVATED, None)
        assert [change.key for change in activated.changes] == ["banner"]
        assert source.info().has_staged is False and source["banner"]


def test_activate_refuses_a_snapshot_that_is_no_longer_staged(server: V2Server, collection: Collection) -> None:
    client, source = opened(server, collection, activation="manual")
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    with client, source.subscribe(events.put):
        source.refresh(30)
        checked = events.get(timeout=SECONDS).staged
        collection.publish({"banner": {**BANNER, "n": 6}})
        source.refresh(30)
        newer = events.get(timeout=SECONDS).staged
        with pytest.raises(remora.NotFoundError):
            source.activate(checked)
        assert len(source) == 0
        assert source.activate(newer) is remora.Outcome.UPDATED and source.get_int("banner", "/n") == 6
        assert source.activate(source.snapshot()) is remora.Outcome.UNCHANGED
        with pytest.raises(TypeError, match="snapshot must be a Snapshot, not int"):
            source.activate(5)  # type: ignore[arg-type]


def test_a_callback_can_activate_the_fetched_data_that_its_event_reports(
    server: V2Server, collection: Collection
) -> None:
    outcomes: queue.SimpleQueue[remora.Outcome] = queue.SimpleQueue()
    client, source = opened(server, collection, activation="next_setup")

    def decide(event: remora.Event) -> None:
        if event.staged:
            outcomes.put(source.activate())

    with client, source.subscribe(decide):
        source.refresh(30)  # Without any data before, the first fetched data becomes live at once.
        collection.publish({"banner": {**BANNER, "text": "activated"}})
        source.refresh(30)
        assert outcomes.get(timeout=SECONDS) is remora.Outcome.UPDATED
        assert source.get_str("banner", "/text") == "activated"


def test_if_activation_is_next_setup_fetched_data_is_read_when_the_next_client_opens_the_source(
    server: V2Server, collection: Collection, tmp_path: Path
) -> None:
    for length in (0, 1):
        client, source = opened(server, collection, tmp_path, activation="next_setup")
        with client:
            assert len(source) == length
            source.refresh(30)


def test_after_freeze_the_old_data_is_read_although_a_refresh_fetched_new_data(
    server: V2Server, collection: Collection
) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    client, source = opened(server, collection)
    with client:
        source.refresh(30)
        with source.subscribe(events.put):
            source.freeze()
            collection.publish({"banner": {**BANNER, "n": 6}})
            assert source.refresh(30) is remora.Outcome.STAGED
            assert source.get_int("banner", "/n") == 5
        assert events.empty()


def test_the_report_of_a_sync_counts_sources_whose_fetched_data_is_not_activated_yet(
    server: V2Server, collection: Collection
) -> None:
    client, _source = opened(server, collection, activation="manual")
    with client:
        report = client.sync(30)
        assert (report.total, report.staged, report.updated, report.error) == (1, 1, 0, None)
        assert report.items[0].outcome is remora.Outcome.STAGED


def test_activate_and_freeze_are_awaited_in_asyncio(server: V2Server, collection: Collection) -> None:
    async def scene() -> None:
        async with remora.aio.Client.in_memory(server=server.url) as client:
            source = client.collection(collection.name, trust="off", activation="manual")
            assert await source.refresh(30) is remora.Outcome.STAGED
            assert len(await source.wait(30, only_if_empty=True)) == 0
            assert await source.activate() is remora.Outcome.UPDATED
            assert await source.activate(source.snapshot()) is remora.Outcome.UNCHANGED
            await source.freeze()
            assert source["banner"]

    asyncio.run(scene(), debug=True)


def test_an_invalid_activation_option_and_calls_on_a_closed_client_raise_errors(
    server: V2Server, collection: Collection
) -> None:
    client, source = opened(server, collection)
    with client:
        with pytest.raises(ValueError, match="activation"):
            client.collection("x", activation="later")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="activation"):
            client.collection("x", activation=3)  # type: ignore[arg-type]
    with pytest.raises(remora.ClosedError):
        source.activate()
    with pytest.raises(remora.ClosedError):
        source.freeze()
