# SPDX-License-Identifier: Apache-2.0
"""asyncio: awaiting, cancelling, and the loop a client belongs to."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, anext_of, until
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server


def test_in_asyncio_a_refresh_needs_await_and_a_read_does_not(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        assert await source.refresh() is remora.Outcome.UNCHANGED
        assert source["banner"] == collection.head.records[0] and source.get_int("banner", "/n") == 5
        collection.publish({"banner": {"text": "New"}})
        assert await source.refresh(timeout=30) is remora.Outcome.UPDATED
        assert source.snapshot().at("banner", "/text") == "New" and source.info().last_error is None

    play(scene)


def test_if_a_refresh_fails_it_raises_an_error_and_the_previous_data_can_still_be_read(
    play: Any, server: V2Server
) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.status(503))
        with pytest.raises(remora.HttpError) as caught:
            await source.refresh(30)
        assert caught.value.http_status == 503 and source.get_str("banner", "/text") == "Hi"

    play(scene)


def test_a_refresh_ends_at_its_timeout_and_an_invalid_timeout_is_refused(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        asked = server.count("changeset")
        with pytest.raises(remora.TimeoutError):
            await source.refresh(0)
        assert server.count("changeset") == asked
        server.set_fault("changeset", v2_faults.hang())
        with pytest.raises(TimeoutError):
            await source.refresh(0.05)
        for wrong, error in (("1", TypeError), (-1, ValueError)):
            with pytest.raises(error):
                await source.refresh(wrong)  # type: ignore[arg-type]

    play(scene)


def test_a_refresh_of_a_closed_source_with_timeout_0_raises_closed_error(play: Any) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        source.close()
        with pytest.raises(remora.ClosedError):
            await source.refresh(0)

    play(scene)


def test_cancelling_the_task_of_a_refresh_cancels_its_request(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang(), times=1)
        asked = server.count("changeset")
        task = asyncio.create_task(source.refresh())
        await until(lambda: server.count("changeset") > asked)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await source.refresh(30) is remora.Outcome.UNCHANGED

    play(scene)


def test_concurrent_refreshes_share_one_request(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang())
        asked = server.count("changeset")
        tasks = [asyncio.create_task(source.refresh()) for _ in range(5)]
        await until(lambda: server.count("changeset") > asked)
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        assert server.count("changeset") == asked + 1

    play(scene)


def test_wait_returns_the_fetched_snapshot_or_the_previous_snapshot_if_it_times_out(
    play: Any, server: V2Server, collection: Collection
) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        collection.publish({"banner": {"text": "New"}})
        fresh = await source.wait(30)
        assert fresh.error is None and fresh.at("banner", "/text") == "New"
        server.set_fault("changeset", v2_faults.hang())
        fallback = await source.wait(timeout=0.05)
        assert isinstance(fallback.error, remora.TimeoutError) and fallback.at("banner", "/text") == "New"
        assert source.snapshot().error is None
        assert isinstance((await source.wait(0)).error, remora.TimeoutError)
        assert (await source.wait(only_if_empty=True)).error is None
        await client.close()
        with pytest.raises(remora.ClosedError):
            await source.wait(0)

    play(scene)


def test_closing_the_client_ends_running_refreshes_and_streams_of_changes(play: Any, server: V2Server) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang())
        asked = server.count("changeset")
        refresh = asyncio.create_task(source.refresh())
        stream = asyncio.create_task(anext_of(source.changes()))
        await until(lambda: server.count("changeset") > asked)
        await client.close()
        await client.close()
        with pytest.raises(remora.ClosedError):
            await refresh
        with pytest.raises(StopAsyncIteration):
            await stream
        with pytest.raises(remora.ClosedError):
            source.changes()

    play(scene)


def test_closing_the_source_ends_its_running_refreshes_and_streams_of_changes(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang())
        asked = server.count("changeset")
        refresh = asyncio.create_task(source.refresh())
        await until(lambda: server.count("changeset") > asked)
        source.close()
        with pytest.raises(remora.ClosedError):
            await refresh

    play(scene)


def test_callbacks_of_an_asyncio_client_run_in_its_event_loop(
    play: Any, server: V2Server, collection: Collection
) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        seen: list[Any] = []

        def note(event: remora.Event) -> None:
            seen.append((event.cause, threading.current_thread(), asyncio.get_running_loop()))

        here = threading.current_thread(), asyncio.get_running_loop()
        first = client.collection(collection.name, trust="off", on_event=note)
        with source.subscribe(note, replay=True):
            await until(lambda: len(seen) == 2)
        assert seen == [(remora.Cause.OPENED, *here)] * 2
        first.close()

    play(scene)


def test_a_reset_is_awaited_in_asyncio(play: Any) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        await source.reset()
        assert dict(source) == {}

    play(scene)


def test_the_event_loop_keeps_running_while_a_refresh_is_awaited(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang())
        turns = 0
        refresh = asyncio.create_task(source.refresh(0.2))
        while not refresh.done():
            await asyncio.sleep(0)
            turns += 1
        with pytest.raises(remora.TimeoutError):
            await refresh
        assert turns > 10

    play(scene)


def test_an_asyncio_client_cannot_be_created_outside_of_a_running_event_loop(server: V2Server) -> None:
    with pytest.raises(RuntimeError, match="running event loop"):
        remora.aio.Client.in_memory(server=server.url)


def test_calls_from_another_event_loop_or_thread_are_refused(server: V2Server, collection: Collection) -> None:
    async def other(client: remora.aio.Client, source: remora.aio.Source) -> None:
        assert source["banner"]
        for call in (source.changes, source.events, lambda: source.subscribe(print)):
            with pytest.raises(RuntimeError, match="another event loop"):
                call()
        for wait in (source.refresh, source.wait, source.reset, client.close):
            with pytest.raises(RuntimeError, match="another event loop"):
                await wait()
        with pytest.raises(RuntimeError, match="another event loop"):
            client.collection("other")

    async def main() -> None:
        async with remora.aio.Client.in_memory(server=server.url) as client:
            source = client.collection(collection.name, trust="off")
            await source.refresh(30)
            await asyncio.to_thread(lambda: asyncio.run(other(client, source)))
            with pytest.raises(RuntimeError, match="outside a running event loop"):
                await asyncio.to_thread(source.changes)

    asyncio.run(main())


def test_an_event_loop_that_ends_before_its_client_is_closed_causes_no_error(
    server: V2Server, collection: Collection
) -> None:
    async def open_and_leave() -> tuple[remora.aio.Client, remora.aio.Source, Any]:
        client = remora.aio.Client.in_memory(server=server.url)
        source = client.collection(collection.name, trust="off", on_event=lambda _: None)
        await source.refresh(30)
        asyncio.create_task(anext_of(source.changes()))
        return client, source, source.events()

    client, source, stream = asyncio.run(open_and_leave())
    assert source["banner"] and not client.closed
    with pytest.raises(RuntimeError):
        asyncio.run(client.close())
    del client, source, stream


def test_two_event_loops_that_run_one_after_the_other_can_each_have_a_client(
    server: V2Server, collection: Collection
) -> None:
    async def refresh_once() -> remora.Outcome:
        async with remora.aio.Client.in_memory(server=server.url) as client:
            return await client.collection(collection.name, trust="off").refresh(30)

    assert [asyncio.run(refresh_once()) for _ in range(2)] == [remora.Outcome.UPDATED] * 2


def test_an_asyncio_client_without_references_is_closed_in_its_event_loop(
    server: V2Server, collection: Collection
) -> None:
    from remora._runtime.process import cores

    async def main() -> None:
        before = len(cores)
        client = remora.aio.Client.in_memory(server=server.url)
        source = client.collection(collection.name, trust="off", on_event=lambda _: None)
        await source.refresh(30)
        assert len(cores) == before + 1
        del client, source
        await asyncio.wait_for(until(lambda: len(cores) == before), SECONDS)

    asyncio.run(main(), debug=True)
