# SPDX-License-Identifier: Apache-2.0
"""asyncio: awaiting, streams, cancelling, and loops that end too early."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

import remora
import remora.aio
from conftest import RunPython
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

SECONDS = 20.0
T = TypeVar("T")
Scene = Callable[[remora.aio.Client, remora.aio.Source], Awaitable[T]]


@pytest.fixture
def play(server: V2Server, collection: Collection) -> Callable[[Scene[T]], T]:
    """Runs a scene in a loop of its own, with the collection refreshed."""

    def run(scene: Scene[T]) -> T:
        async def main() -> T:
            async with remora.aio.Client(None, server=server.url) as client:
                source = client.collection(collection.name, trust="off")
                await source.refresh(30)
                return await asyncio.wait_for(scene(client, source), SECONDS)

        return asyncio.run(main(), debug=True)

    return run


async def until(condition: Callable[[], object]) -> None:
    """Lets the loop run until a condition holds; the scene has the deadline."""
    while not condition():
        await asyncio.sleep(0.01)


def test_a_refresh_is_awaited_and_reads_are_as_ever(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        assert await source.refresh() is remora.Outcome.UNCHANGED
        assert source["banner"] == collection.head.records[0] and source.get_int("banner", "/n") == 5
        collection.publish({"banner": {"text": "New"}})
        assert await source.refresh(timeout=30) is remora.Outcome.UPDATED
        assert source.snapshot().at("banner", "/text") == "New" and source.info().last_error is None

    play(scene)


def test_a_failed_refresh_raises_and_keeps_the_data(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.status(503))
        with pytest.raises(remora.HttpError) as caught:
            await source.refresh(30)
        assert caught.value.http_status == 503 and source.get_str("banner", "/text") == "Hi"

    play(scene)


def test_a_refresh_has_the_callers_limit(play: Any, server: V2Server) -> None:
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


def test_cancelling_the_task_cancels_the_request(play: Any, server: V2Server) -> None:
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


def test_refreshes_at_the_same_time_share_one_request(play: Any, server: V2Server) -> None:
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


def test_waiting_gives_the_fresh_snapshot_or_the_one_before(
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
        assert (await source.wait(0)).error is None and (await source.wait(only_if_empty=True)).error is None
        await client.close()
        with pytest.raises(remora.ClosedError):
            await source.wait(0)

    play(scene)


def test_changes_are_iterated_one_per_key(play: Any, collection: Collection) -> None:
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


def test_updates_that_nobody_asked_for_merge_into_one(play: Any, collection: Collection) -> None:
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


async def anext_of(stream: Any) -> Any:
    """`anext`, which Python 3.9 does not have."""
    return await stream.__anext__()


def test_several_streams_run_at_once_and_end_on_their_own(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        one, two = source.changes(), source.changes("a")
        async with source.events() as three:
            collection.publish({"a": {}})
            await source.refresh(30)
            assert (await anext_of(one)).key == (await anext_of(two)).key == (await anext_of(three)).changes[0].key == "a"
        with pytest.raises(StopAsyncIteration):
            await anext_of(three)
        await one.aclose()
        await one.aclose()
        collection.publish({"a": {"n": 1}})
        await source.refresh(30)
        assert (await anext_of(two)).new == source["a"]

    play(scene)


def test_leaving_the_loop_ends_the_subscription_at_once(play: Any, collection: Collection) -> None:
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


def test_a_waiting_stream_can_be_cancelled_and_goes_on(play: Any, collection: Collection) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        changes = source.changes()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext_of(changes), 0.02)
        collection.publish({"a": {}})
        await source.refresh(30)
        assert (await anext_of(changes)).key == "a"

    play(scene)


def test_closing_ends_what_waits(play: Any, server: V2Server) -> None:
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


def test_closing_the_source_ends_what_waits(play: Any, server: V2Server) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        server.set_fault("changeset", v2_faults.hang())
        asked = server.count("changeset")
        refresh = asyncio.create_task(source.refresh())
        await until(lambda: server.count("changeset") > asked)
        source.close()
        with pytest.raises(remora.ClosedError):
            await refresh

    play(scene)


def test_callbacks_run_in_the_loop(play: Any, server: V2Server, collection: Collection) -> None:
    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        told: list[Any] = []

        def note(event: remora.Event) -> None:
            told.append((event.cause, threading.current_thread(), asyncio.get_running_loop()))

        here = threading.current_thread(), asyncio.get_running_loop()
        first = client.collection(collection.name, trust="off", on_event=note)
        with source.subscribe(note, replay=True):
            await until(lambda: len(told) == 2)
        assert told == [(remora.Cause.OPENED, *here)] * 2
        first.close()

    play(scene)


def test_a_reset_is_awaited(play: Any) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        await source.reset()
        assert dict(source) == {}

    play(scene)


def test_the_loop_runs_while_a_refresh_waits(play: Any, server: V2Server) -> None:
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


def test_a_client_outside_of_a_loop_is_refused(server: V2Server) -> None:
    with pytest.raises(RuntimeError, match="running event loop"):
        remora.aio.Client(None, server=server.url)


def test_another_loop_or_thread_is_refused(server: V2Server, collection: Collection) -> None:
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
        async with remora.aio.Client(None, server=server.url) as client:
            source = client.collection(collection.name, trust="off")
            await source.refresh(30)
            await asyncio.to_thread(lambda: asyncio.run(other(client, source)))
            with pytest.raises(RuntimeError, match="outside of a running event loop"):
                await asyncio.to_thread(source.changes)

    asyncio.run(main())


def test_a_loop_that_ends_before_its_client_harms_nothing(server: V2Server, collection: Collection) -> None:
    async def open_and_leave() -> tuple[remora.aio.Client, remora.aio.Source, Any]:
        client = remora.aio.Client(None, server=server.url)
        source = client.collection(collection.name, trust="off", on_event=lambda _: None)
        await source.refresh(30)
        asyncio.create_task(anext_of(source.changes()))
        return client, source, source.events()

    client, source, stream = asyncio.run(open_and_leave())
    assert source["banner"] and not client.closed
    with pytest.raises(RuntimeError):
        asyncio.run(client.close())
    del client, source, stream


def test_two_loops_after_each_other_have_their_clients(server: V2Server, collection: Collection) -> None:
    async def refresh_once() -> remora.Outcome:
        async with remora.aio.Client(None, server=server.url) as client:
            return await client.collection(collection.name, trust="off").refresh(30)

    assert [asyncio.run(refresh_once()) for _ in range(2)] == [remora.Outcome.UPDATED] * 2


def test_a_dropped_client_ends_in_its_loop(server: V2Server, collection: Collection) -> None:
    from remora._core import _cores

    async def main() -> None:
        before = len(_cores)
        client = remora.aio.Client(None, server=server.url)
        source = client.collection(collection.name, trust="off", on_event=lambda _: None)
        await source.refresh(30)
        assert len(_cores) == before + 1
        del client, source
        await asyncio.wait_for(until(lambda: len(_cores) == before), SECONDS)

    asyncio.run(main(), debug=True)


BEGIN = """
import asyncio, signal, sys
import remora.aio
signal.alarm(50)
async def main():
    client = remora.aio.Client(None, server=sys.argv[1])
    source = client.collection(sys.argv[2], trust="off", on_event=lambda event: None)
    await source.refresh(30)
    changes = source.changes()
"""

ENDS = {
    "asyncio.run": "    return client, source, changes\nkept = asyncio.run(main())",
    "dropped": "    return None\nkept = asyncio.run(main())",
    "a task that waits": "    asyncio.create_task(changes.__anext__()); await asyncio.sleep(0)\nasyncio.run(main())",
    "a task that loops": "    async def watch():\n        async for change in source.changes(): pass\n"
    "    asyncio.create_task(watch()); await asyncio.sleep(0)\nasyncio.run(main())",
    "a loop that is never closed": "    return client, source, changes\n"
    "loop = asyncio.new_event_loop(); kept = loop.run_until_complete(main())\nimport warnings; warnings.simplefilter('ignore')",
    "a loop that is closed by hand": "    return client, source, changes\n"
    "loop = asyncio.new_event_loop(); kept = loop.run_until_complete(main()); loop.close()",
    "sys.exit in the loop": "    sys.exit(0)\nasyncio.run(main())",
    "sys.exit in a callback": "    kept = source.subscribe(lambda event: sys.exit(0), replay=True); await asyncio.sleep(30)\n"
    "asyncio.run(main())",
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_program_that_simply_ends_does_so_in_silence(
    loop: str, name: str, server: V2Server, collection: Collection, run_python: RunPython
) -> None:
    program = BEGIN + ENDS[name]
    if loop == "uvloop":
        pytest.importorskip("uvloop")
        program = f"import uvloop, asyncio\nasyncio.set_event_loop_policy(uvloop.EventLoopPolicy())\n{program}"
    done = run_python(program, server.url, collection.name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
