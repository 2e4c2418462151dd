# SPDX-License-Identifier: Apache-2.0
"""asyncio: events and changes to iterate over."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

import remora
import remora.aio
from conftest import anext_of, until
from remora.testing import Server
from Servers.v2_collection import Collection


def test_an_async_iterator_of_changes_returns_one_change_for_each_changed_key(
    play: Any, collection: Collection
) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        seen = []

        async def read() -> None:
            async for change in source.changes():
                seen.append((change.kind.name, change.key))
                if change.kind is remora.ChangeKind.DELETED:
                    return

        reader = asyncio.create_task(read())
        await asyncio.sleep(0)
        collection.publish({"a": {"n": 1}, "b": {"n": 2}})
        await source.refresh(30)
        await until(lambda: len(seen) == 2)
        collection.delete("a")
        await source.refresh(30)
        await reader
        assert seen == [("CREATED", "a"), ("CREATED", "b"), ("DELETED", "a")]

    play(scene)


def test_updates_that_an_async_iterator_has_not_read_yet_merge_into_one_event(
    play: Any, collection: Collection
) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        events, watched = source.events(), source.events("watched")
        for number in range(3):
            collection.publish({"watched": {"n": number}, f"other-{number}": {}})
            await source.refresh(30)
        collection.publish({"last": {}})
        await source.refresh(30)
        event = await anext_of(events)
        assert [change.key for change in event.changes] == ["last", "other-0", "other-1", "other-2", "watched"]
        assert "watched" not in event.old and event.new.at("watched", "/n") == 2
        (change,) = (await anext_of(watched)).changes
        assert (change.kind, change.key) == (remora.ChangeKind.CREATED, "watched")

    play(scene)


def test_a_merged_event_has_the_freshness_before_the_first_update_and_after_the_last() -> None:
    server = Server()
    server.publish("c", {"a": {"n": 0}})

    async def scene() -> remora.Event:
        async with remora.aio.Client.in_memory(transport=server, max_stale=90) as client:
            source = client.collection("c", trust="off")
            await source.refresh(30)
            events = source.events()
            for number in (1, 2):
                server.publish("c", {"a": {"n": number}})
                await source.refresh(30)
            event: remora.Event = await anext_of(events)
            return event

    event = asyncio.run(scene())
    assert (event.old.at("a", "/n"), event.new.at("a", "/n")) == (0, 2)
    assert (event.old_freshness, event.freshness) == (remora.Freshness.FRESH, remora.Freshness.FRESH)


def test_a_merged_event_has_every_attribute_of_an_event(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        events = source.events()
        for key in "ab":
            collection.publish({key: {}})
            await source.refresh(30)
        event = await anext_of(events)
        assert len(event.changes) == 2
        assert [name for name in remora.Event.__slots__ if not hasattr(event, name)] == []

    play(scene)


def test_several_async_iterators_over_one_source_run_and_end_independently(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        one, two = source.changes(), source.changes("a")
        async with source.events() as three:
            collection.publish({"a": {}})
            await source.refresh(30)
            assert (
                (await anext_of(one)).key == (await anext_of(two)).key == (await anext_of(three)).changes[0].key == "a"
            )
        with pytest.raises(StopAsyncIteration):
            await anext_of(three)
        await one.aclose()
        await one.aclose()
        collection.publish({"a": {"n": 1}})
        await source.refresh(30)
        assert (await anext_of(two)).new == source["a"]

    play(scene)


def test_leaving_an_async_for_statement_over_changes_ends_its_subscription_at_once(
    play: Any, collection: Collection
) -> None:
    from remora._ffi.registry import receivers

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        before = len(receivers)

        async def read_one() -> None:
            async for _ in source.changes():
                break

        gc.disable()
        try:
            reader = asyncio.create_task(read_one())
            await asyncio.sleep(0)
            assert len(receivers) == before + 1
            collection.publish({"a": {}})
            await source.refresh(30)
            await reader
            await until(lambda: len(receivers) == before)
        finally:
            gc.enable()

    play(scene)


def test_an_async_iterator_of_changes_continues_after_a_read_was_cancelled(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        changes = source.changes()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext_of(changes), 0.02)
        collection.publish({"a": {}})
        await source.refresh(30)
        assert (await anext_of(changes)).key == "a"

    play(scene)
