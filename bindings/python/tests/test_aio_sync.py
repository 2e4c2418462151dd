# SPDX-License-Identifier: Apache-2.0
"""asyncio: syncing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import remora
import remora.aio
from conftest import until
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import CHANGESET, MONITOR, V2Server


def test_subscribers_have_been_notified_when_an_awaited_sync_completes(play: Any, collection: Collection) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        assert (await client.sync(30)).unchanged == 1
        seen: list[remora.Event] = []
        with source.subscribe(seen.append):
            collection.publish({"banner": {"text": "New"}})
            report = await client.sync()
            assert (report.total, report.updated, report.error) == (1, 1, None)
            assert [event.outcome for event in seen] == [remora.Outcome.UPDATED]
        assert source.get_str("banner", "/text") == "New"

    play(scene)


def test_the_report_of_an_awaited_sync_contains_the_error_of_a_source_that_failed(play: Any, server: V2Server) -> None:
    async def scene(client: remora.aio.Client, _: remora.aio.Source) -> None:
        server.set_fault(MONITOR, v2_faults.status(404), times=1)
        report = await client.sync(30)
        assert report.failed == 1 and isinstance(report.items[0].error, remora.HttpError)
        with pytest.raises(remora.HttpError):
            report.raise_for_failures()

    play(scene)


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_an_awaited_sync_reports_a_timeout_for_each_source_that_was_not_fetched_in_time(
    play: Any, server: V2Server, timeout: float
) -> None:
    async def scene(client: remora.aio.Client, _: remora.aio.Source) -> None:
        server.set_fault(MONITOR, v2_faults.hang())
        report = await client.sync(timeout)
        assert (report.total, report.failed) == (1, 1)
        assert isinstance(report.error, remora.TimeoutError) and isinstance(report.items[0].error, remora.TimeoutError)
        server.clear_faults()
        assert (await client.sync(30)).failed == 0

    play(scene)


def test_cancelling_the_task_that_awaits_a_sync_cancels_the_sync(
    play: Any, server: V2Server, collection: Collection
) -> None:
    async def scene(client: remora.aio.Client, _: remora.aio.Source) -> None:
        collection.publish({"banner": {"text": "New"}})
        server.set_fault(CHANGESET, v2_faults.hang(), times=1)
        asked = server.count(CHANGESET)
        task = asyncio.create_task(client.sync())
        await until(lambda: server.count(CHANGESET) > asked)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await client.sync(30)).updated == 1

    play(scene)


def test_closing_the_client_ends_an_awaited_sync(play: Any, server: V2Server) -> None:
    async def scene(client: remora.aio.Client, _: remora.aio.Source) -> None:
        server.set_fault(MONITOR, v2_faults.hang())
        asked = server.count(MONITOR)
        task = asyncio.create_task(client.sync())
        await until(lambda: server.count(MONITOR) > asked)
        await client.close()
        with pytest.raises(remora.ClosedError):
            await task
        with pytest.raises(remora.ClosedError):
            await client.sync(30)

    play(scene)


def test_the_sync_async_callback_and_the_on_attempt_callback_are_called_in_the_event_loop(
    server: V2Server, collection: Collection
) -> None:
    async def main() -> None:
        attempts: list[remora.Attempt] = []
        reports: list[remora.SyncReport] = []
        async with remora.aio.Client.in_memory(server=server.url, on_attempt=attempts.append) as client:
            source = client.collection(collection.name, trust="off", refresh_interval=3600)
            client.sync_async(reports.append)
            await until(lambda: reports)
            assert reports[0].failed == 0 and {one.source_name for one in attempts} >= {"monitor/changes"}
            source.close()

    asyncio.run(asyncio.wait_for(main(), 30), debug=True)
