# SPDX-License-Identifier: Apache-2.0
"""Settings that are awaited: tags, limits, cancelled tasks and closed clients."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, until
from remora._ffi import notifying
from settings_server import PATH, SettingsServer

MOMENT = 0.05
Scene = Callable[[remora.aio.Client, remora.aio.Settings], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def stage(settings: SettingsServer) -> Play:
    """Runs a scene in a loop of its own, with settings that ask for nothing by themselves."""

    def run(scene: Scene, **options: Any) -> None:
        async def main() -> None:
            async with remora.aio.Client.in_memory() as client:
                source = client.settings(settings.url(), **{"fetch_at_open": False, **options})
                await asyncio.wait_for(scene(client, source), SECONDS)

        asyncio.run(main(), debug=True)

    return run


def test_get_with_a_tag_or_a_timeout_needs_await_and_get_without_them_does_not(
    stage: Play, settings: SettingsServer
) -> None:
    settings.serve(k=9, null=None)

    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        assert source.get("k", default=3) == 3 and source.get("k") is None
        assert await source.get("k", tag="x", timeout=2.0, default=3) == 9
        assert await source.get("absent", tag="x", timeout=2.0, default=3) == 3
        assert await source.get("null", tag="x", default=3) == 3 and await source.get("null", tag="x") is None
        assert await source.get("k", timeout=2.0) == 9
        assert source.tag("x").get_int("k") == 9
        assert isinstance(source.tag("x"), remora.aio.Settings)
        assert [one.target for one in settings.requests] == [f"{PATH}?tag=x", PATH]

    stage(scene, activation="immediate")


def test_concurrent_calls_of_get_with_a_tag_share_one_request_and_have_separate_timeouts(
    stage: Play, settings: SettingsServer
) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        held = settings.hold(k=9)
        source.prefetch(tag="x")
        longest = [asyncio.ensure_future(source.get("k", tag="x", timeout=limit)) for limit in (None, SECONDS)]
        assert await source.get("k", tag="x", timeout=MOMENT, default=3) == 3
        held.release()
        assert await asyncio.gather(*longest) == [9, 9]
        assert len(settings.requests) == 1

    stage(scene)


def test_get_returns_the_previous_value_at_its_timeout_and_cancels_its_request(
    stage: Play, settings: SettingsServer
) -> None:
    settings.serve(k=5)

    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        assert await source.get("k", tag="x", timeout=SECONDS) == 5
        held = settings.hold(k=9)
        assert await source.get("k", tag="x", timeout=MOMENT, default=3) == 5
        await until(held.broken.is_set)
        fallback = await source.tag("x").wait(MOMENT)
        held.release()
        assert isinstance(fallback.error, remora.TimeoutError) and fallback.get_int("k") == 5
        assert source.tag("x").get_int("k") == 5

    stage(scene, ttl=0)


def test_get_with_timeout_0_sends_no_request_and_a_negative_timeout_is_refused(
    stage: Play, settings: SettingsServer
) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        assert await source.get("k", tag="x", timeout=0, default=3) == 3
        wrong: list[tuple[dict[str, Any], type[Exception]]] = [
            ({"timeout": -1}, ValueError),
            ({"timeout": "1"}, TypeError),
            ({"tag": 5}, TypeError),
            ({"tag": ""}, remora.InvalidArgumentError),
        ]
        for arguments, error in wrong:
            with pytest.raises(error):
                await source.get("k", **{"tag": "x", **arguments})
        key: Any = 5
        with pytest.raises(TypeError, match="key"):
            await source.get(key, tag="x")
        assert settings.requests == []

    stage(scene)


def test_cancelling_the_task_that_awaits_get_cancels_its_request(stage: Play, settings: SettingsServer) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        held = settings.hold(k=9)
        task = asyncio.ensure_future(source.get("k", tag="x"))
        await until(lambda: settings.requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(held.broken.is_set)
        assert source.tag("x").get_int("k") is None

    stage(scene)


@pytest.mark.parametrize("ending", ["client", "tag"])
def test_get_returns_the_previous_value_if_the_client_or_the_settings_are_closed_while_it_waits(
    stage: Play, settings: SettingsServer, ending: str
) -> None:
    settings.serve(k=5)

    async def scene(client: remora.aio.Client, source: remora.aio.Settings) -> None:
        tag = source.tag("x")
        assert await tag.get("k", timeout=None) == 5
        settings.hold(k=9)
        asked = len(settings.requests)
        task = asyncio.ensure_future(tag.get("k", timeout=None, default=3))
        wait = asyncio.ensure_future(tag.wait())
        of_client = asyncio.ensure_future(source.get("k", tag="x", default=3))
        await until(lambda: len(settings.requests) > asked)
        if ending == "tag":
            tag.close()
            assert await task == 5 and not of_client.done(), "it has a handle of its own"
        await client.close()
        assert await task == 5 and await of_client == 5
        assert isinstance((await wait).error, remora.ClosedError)
        with pytest.raises(remora.ClosedError):
            await source.get("k", tag="x", timeout=1)

    stage(scene, ttl=0)


def test_get_returns_the_last_value_if_its_request_cannot_be_started(
    stage: Play, settings: SettingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.serve(k=5)

    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        assert await source.get("k", tag="x") == 5

        def wait_async(*arguments: Any) -> None:
            raise unavailable

        unavailable = remora.UnavailableError(-1, "no thread")
        monkeypatch.setattr(notifying, "wait_async", wait_async)
        fallback = await source.tag("x").wait()
        assert fallback.error is unavailable and fallback.get_int("k") == 5
        assert await source.get("k", tag="x", default=3) == 5

    stage(scene, ttl=0)


def test_prefetch_outside_of_the_event_loop_is_refused(stage: Play) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Settings) -> None:
        for tag in (None, "x"):
            with pytest.raises(RuntimeError, match="outside a running event loop"):
                await asyncio.to_thread(source.prefetch, tag)

    stage(scene)
