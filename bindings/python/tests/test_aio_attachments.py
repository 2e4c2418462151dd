# SPDX-License-Identifier: Apache-2.0
"""asyncio: records and attachments."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, Attached, until
from Servers import v2_faults
from Servers.v2_server import ATTACHMENT, V2Server

MODEL = bytes(range(256)) * 2000


async def attachment_of(source: remora.aio.Source, key: str = "model") -> remora.aio.Attachment:
    """The attachment of a record of the newest version."""
    await source.refresh(SECONDS)
    attachment = source.record(key).attachment
    assert attachment is not None
    return attachment


def test_a_record_in_asyncio_is_read_without_await_and_its_attachment_is_read_with_await(
    play: Any, attached: Attached
) -> None:
    location = attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment = await attachment_of(source)
        record = source.record("model")
        assert isinstance(record, remora.aio.CollectionRecord) and record["title"] == "model" == record.fields["title"]
        assert [one.id for one in source.records()] == ["banner", "model"]
        assert source.record("banner").attachment is None
        assert (attachment.size, attachment.location) == (len(MODEL), location) and "size=" in repr(attachment)
        assert await attachment.read(SECONDS) == MODEL
        with await attachment.open() as opened:
            assert opened.data == MODEL
        with await source.open_attachment(location, SECONDS) as opened:
            assert opened.read() == MODEL
        with pytest.raises(remora.NotFoundError):
            await source.open_attachment("elsewhere")

    play(scene)


def test_the_progress_of_a_download_is_reported_in_the_event_loop(play: Any, attached: Attached) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment, loop = await attachment_of(source), asyncio.get_running_loop()
        seen: list[tuple[int, int]] = []

        def progress(received: int, total: int) -> None:
            assert asyncio.get_running_loop() is loop and threading.current_thread() is threading.main_thread()
            seen.append((received, total))

        assert await attachment.read(SECONDS, progress=progress) == MODEL
        assert seen[-1] == (len(MODEL), len(MODEL)) and seen == sorted(seen)

    play(scene)


def test_an_exception_in_a_progress_callback_is_reported_and_the_download_completes(
    play: Any, attached: Attached, monkeypatch: pytest.MonkeyPatch
) -> None:
    attached.publish("model", MODEL)
    unraisable: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment = await attachment_of(source)
        assert await attachment.read(SECONDS, progress=lambda: None) == MODEL  # type: ignore[arg-type, misc]
        assert isinstance(unraisable[0].exc_value, TypeError)

    play(scene)
    unraisable.clear()


def test_cancelling_the_task_that_reads_an_attachment_cancels_its_request(
    play: Any, attached: Attached, server: V2Server
) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment, before = await attachment_of(source), attached.requests
        server.set_fault(ATTACHMENT, v2_faults.stall(at=100000), times=1)
        seen: list[object] = []
        task = asyncio.create_task(attachment.read(progress=lambda *progress: seen.append(progress)))
        await until(lambda: attached.requests > before)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        seen.clear()
        assert await attachment.read(SECONDS) == MODEL and seen == []

    play(scene)


def test_concurrent_openings_of_an_attachment_share_one_request(
    play: Any, attached: Attached, server: V2Server
) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment, before = await attachment_of(source), attached.requests
        tasks = [asyncio.create_task(attachment.read(SECONDS)) for _ in range(5)]
        await asyncio.sleep(0)
        tasks.pop().cancel()
        assert await asyncio.gather(*tasks) == [MODEL] * 4 and attached.requests == before + 1

    play(scene)


def test_opening_an_attachment_fails_at_its_timeout(play: Any, attached: Attached, server: V2Server) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment, before = await attachment_of(source), attached.requests
        with pytest.raises(remora.TimeoutError):
            await attachment.open(0)
        with pytest.raises(remora.NotFoundError):
            await attachment.open(local=True)
        with pytest.raises(remora.TooLargeError):
            await attachment.open(max_bytes=1)
        assert attached.requests == before
        server.set_fault(ATTACHMENT, v2_faults.stall(at=100))
        with pytest.raises(remora.TimeoutError):
            await attachment.open(0.1)
        for wrong, error in (("1", TypeError), (-1, ValueError)):
            with pytest.raises(error):
                await attachment.open(wrong)  # type: ignore[arg-type]

    play(scene)


def test_a_stored_attachment_is_opened_with_timeout_0_without_a_request(
    server: V2Server, attached: Attached, tmp_path: Any
) -> None:
    attached.publish("model", MODEL)

    async def main() -> None:
        async with remora.aio.Client(tmp_path / "storage", server=server.url) as client:
            attachment = await attachment_of(client.collection(attached.collection.name, trust="off"))
            await attachment.read(SECONDS)
            before = attached.requests
            assert await attachment.read(0) == MODEL == await attachment.read(local=True)
            assert attached.requests == before

    asyncio.run(asyncio.wait_for(main(), SECONDS), debug=True)


def test_closing_the_client_ends_awaited_reads_of_attachments(play: Any, attached: Attached, server: V2Server) -> None:
    attached.publish("model", MODEL)

    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        other = client.collection(attached.collection.name, trust="off")
        attachment, before = await attachment_of(source), attached.requests
        server.set_fault(ATTACHMENT, v2_faults.stall(at=100))
        tasks = [asyncio.create_task(one.read()) for one in (attachment, await attachment_of(other))]
        await until(lambda: attached.requests > before)
        source.close()
        with pytest.raises(remora.ClosedError):
            await tasks[0]
        await client.close()
        with pytest.raises(remora.ClosedError):
            await tasks[1]
        with pytest.raises(remora.ClosedError):
            await attachment.open()

    play(scene)


def test_a_record_from_an_old_snapshot_opens_the_old_version_of_its_attachment(play: Any, attached: Attached) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        await source.refresh(SECONDS)
        snapshot = source.snapshot()
        attached.publish("model", b"new")
        await source.refresh(SECONDS)
        old, new = source.record("model", snapshot).attachment, source.record("model").attachment
        assert old is not None and new is not None
        assert (await old.read(SECONDS), await new.read(SECONDS)) == (MODEL, b"new")
        assert [one.attachment and one.attachment.size for one in source.records(snapshot)] == [None, len(MODEL)]
        waiting = snapshot.record("model").attachment
        assert waiting is not None
        with pytest.raises(RuntimeError, match=r"source\.record"):
            waiting.read()
        assert await asyncio.to_thread(waiting.read, SECONDS) == MODEL
        wrong: Any
        for wrong in (5, {}, source):
            with pytest.raises(TypeError, match="snapshot"):
                source.record("model", wrong)

    play(scene)


def test_an_attachment_cannot_be_read_from_another_event_loop(play: Any, attached: Attached) -> None:
    attached.publish("model", MODEL)

    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment = await attachment_of(source)

        def elsewhere(timeout: float | None) -> None:
            with pytest.raises(RuntimeError, match="another event loop"):
                asyncio.run(attachment.read(timeout))

        await asyncio.to_thread(elsewhere, SECONDS)
        await asyncio.to_thread(elsewhere, 0)
        assert await attachment.read(SECONDS) == MODEL

    play(scene)


def test_two_event_loops_can_read_the_same_attachment_file(server: V2Server, attached: Attached, tmp_path: Any) -> None:
    attached.publish("model", MODEL)
    before = attached.requests

    async def main() -> bytes:
        async with remora.aio.Client(tmp_path / "storage", server=server.url) as client:
            return await (await attachment_of(client.collection(attached.collection.name, trust="off"))).read(SECONDS)

    contents: list[bytes] = []
    threads = [threading.Thread(target=lambda: contents.append(asyncio.run(main()))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert contents == [MODEL] * 2 and attached.requests == before + 1


def test_the_results_of_cancelled_openings_of_an_attachment_are_released(play: Any, attached: Attached) -> None:
    attached.publish("model", MODEL)

    async def scene(client: remora.aio.Client, source: remora.aio.Source) -> None:
        attachment = await attachment_of(source)
        for _ in range(20):
            task = asyncio.create_task(attachment.open())
            await asyncio.sleep(0)
            task.cancel()
        await attachment.open(SECONDS)
        attachment.open_async(lambda *end: None)
        await client.close()  # The fixtures see that nothing is left.

    play(scene)
