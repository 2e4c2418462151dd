# SPDX-License-Identifier: Apache-2.0
"""`Settings.get` by the type of its default, and the typed reads of arrays and objects."""

from __future__ import annotations

import asyncio
import enum
from typing import TYPE_CHECKING, Any

import pytest

import remora
import remora.aio
from conftest import SECONDS
from settings_server import SettingsServer

if TYPE_CHECKING:
    from collections.abc import Awaitable

VALUES: dict[str, Any] = {
    "yes": True, "n": 5, "whole": 2.0, "half": 1.5, "big": 2**53 + 1, "huge": 1e300, "text": "t",
    "url": "picsart://editor", "list": [1, [2]], "dict": {"a": {"b": [3]}}, "null": None,
}  # fmt: skip
"""A value of each type."""

CASES: list[tuple[Any, dict[str, Any]]] = [
    (False, {"yes": True}),
    (7, {"n": 5, "whole": 2, "big": 2**53 + 1}),
    (0.25, {"n": 5.0, "whole": 2.0, "half": 1.5, "huge": 1e300}),
    ("d", {"text": "t", "url": "picsart://editor"}),
    ([0], {"list": [1, [2]]}),
    ({"d": 0}, {"dict": {"a": {"b": [3]}}}),
]
"""A default, and the values that are of its type."""


def opened(client: remora.Client, server: SettingsServer) -> remora.Settings:
    server.serve(**VALUES)
    return client.settings(server.url(), activation="immediate", fetch_at_open=False)


def same(found: object, expected: object) -> bool:
    """Whether both are equal and of the same JSON type."""
    kinds = [
        next(one for one in (bool, int, float, str, list, dict) if isinstance(it, one)) for it in (found, expected)
    ]
    return found == expected and kinds[0] is kinds[1]


@pytest.mark.parametrize(("default", "values"), CASES)
def test_get_returns_a_value_of_the_type_of_its_default_or_the_default(
    default: Any, values: dict[str, Any], host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    source.refresh(SECONDS)
    for key in (*VALUES, "absent"):
        expected = values.get(key, default)
        for found in (
            source.get(key, default),
            source.get(key, default=default, timeout=SECONDS),
            source.get(key, default=default, tag="x", timeout=SECONDS),
            source.get(key, default, type=type(default)),
        ):
            assert same(found, expected), (key, default, found)
            assert found is default or key in values


@pytest.mark.parametrize(("default", "values"), CASES)
def test_an_awaited_get_converts_types_like_a_get_without_await(
    default: Any, values: dict[str, Any], settings: SettingsServer
) -> None:
    settings.serve(**VALUES)

    async def main() -> None:
        async with remora.aio.Client.in_memory() as client:
            source = client.settings(settings.url(), activation="immediate", fetch_at_open=False)
            await source.refresh(SECONDS)
            for key in (*VALUES, "absent"):
                expected = values.get(key, default)
                assert same(source.get(key, default), expected)
                assert same(await source.get(key, default, tag="x", timeout=SECONDS), expected)
                assert same(await source.get(key, default, timeout=SECONDS, type=type(default)), expected)
            kind: Any = tuple
            with pytest.raises(TypeError, match="type must be"):
                source.get("n", type=kind)

    asyncio.run(main())


def test_get_with_neither_a_default_nor_a_type_returns_a_value_of_any_type(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    marker = object()
    for key, value in VALUES.items():
        assert source.get(key, tag="x", timeout=SECONDS) == value
        assert source.get(key, marker, tag="x") == (marker if value is None else value)
    assert source.get("absent", marker, tag="x") is marker


def test_get_accepts_a_type_instead_of_a_default(host: remora.Client, settings: SettingsServer) -> None:
    source = opened(host, settings)
    source.refresh(SECONDS)
    assert source.get("n", type=int) == 5 and source.get("text", type=int) is None
    assert source.get("list", type=list) == [1, [2]] and source.get("dict", type=dict) == VALUES["dict"]
    assert source.get("url", type="url") == "picsart://editor" and source.get("text", "none", type="url") == "none"
    assert source.get("n", None, type=float) == 5.0
    kinds: list[Any] = [tuple, "int", 5, [], type(None)]
    for kind in kinds:
        with pytest.raises(TypeError, match="type must be"):
            source.get("n", type=kind)


def test_a_default_of_a_subclass_of_int_or_list_requests_a_value_of_the_base_class(
    host: remora.Client, settings: SettingsServer
) -> None:
    class Level(enum.IntEnum):
        LOW = 1

    source = opened(host, settings)
    source.refresh(SECONDS)
    assert source.get("text", Level.LOW) is Level.LOW and source.get("n", Level.LOW) == 5
    assert source.get("n", source["list"]) == [1, [2]], "what was read before may be a default"


def test_get_on_closed_settings_raises_an_error_even_with_a_default(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    source.close()
    for default in (None, 3, object()):
        with pytest.raises(remora.ClosedError):
            source.get("n", default)


def test_get_list_get_dict_and_get_json_return_a_value_of_their_type_or_the_default(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    source.refresh(SECONDS)
    for reader in (source, source.snapshot()):
        assert reader.get_list("list", default=None) == [1, [2]] and reader.get_list("dict", "/a/b", None) == [3]
        assert reader.get_dict("dict", default=None) == VALUES["dict"] and reader.get_dict("dict", "/a", {}) == {
            "b": [3]
        }
        assert reader.get_list("dict", default=0) == 0 and reader.get_dict("list", "/0", default=0) == 0
        assert reader.get_list("list", "/9", default=0) == 0 and reader.get_dict("absent", default=0) == 0
        for key, value in VALUES.items():
            assert reader.get_json(key, default=0) == (0 if value is None else value)
        assert reader.get_json("dict", "/a/b/0", default=0) == 3 and reader.get_json("a\0", default=0) == 0
        with pytest.raises(TypeError):
            reader.get_list("list", default=None).append(3)  # type: ignore[union-attr]
    assert source.get_list("n") is None and source.get_json("null") is None


def test_a_typed_read_of_a_snapshot_reports_whether_a_value_is_missing_or_of_another_type(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = opened(host, settings)
    source.refresh(SECONDS)
    snapshot = source.snapshot()
    assert snapshot.get_list("list") == [1, [2]] and snapshot.get_dict("dict", "/a") == {"b": [3]}
    for call in (lambda: snapshot.get_list("dict"), lambda: snapshot.get_dict("dict", "/a/b")):
        with pytest.raises(remora.WrongTypeError):
            call()
    for key in ("null", "absent"):
        with pytest.raises(remora.NotFoundError):
            snapshot.get_json(key)


def test_an_array_of_any_length_is_read_completely(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(long=list(range(5000)))
    source = host.settings(settings.url(), activation="immediate", fetch_at_open=False)
    source.refresh(SECONDS)
    assert source.get_list("long") == list(range(5000))
    source.close()
    assert source.get_list("long") is None and source.get_dict("long", default=1) == 1


if TYPE_CHECKING:
    # What type checkers conclude; nothing of it runs.

    def _types(settings: remora.Settings, snapshot: remora.Snapshot) -> None:
        number: int = settings.get("n", default=3)
        flag: bool = settings.get("n", True, tag="x", timeout=2.0)
        ratio: float = settings.get("n", default=0.5)
        text: str = settings.get("n", default="d")
        some: list[Any] = settings.get("n", default=[1])
        more: dict[str, Any] = settings.get("n", default={"a": 1})
        maybe: int | None = settings.get("n", type=int)
        link: str | None = settings.get("n", type="url")
        sure: str = settings.get("n", "d", type="url")
        either: int | str = settings.get("n", "d", type=int)
        anything: remora.JSON = settings.get("n")
        items: list[Any] = snapshot.get_list("n")
        members: dict[str, Any] | int = settings.get_dict("n", default=3)
        wrong: str = settings.get("n", default=3)  # type: ignore[assignment]
        del number, flag, ratio, text, some, more, maybe, link, sure, either, anything, items, members, wrong

    async def _awaited_types(settings: remora.aio.Settings) -> None:
        now: int = settings.get("n", default=3)
        number: int = await settings.get("n", tag="x", timeout=2.0, default=3)
        flag: bool = await settings.get("n", True, timeout=None)
        maybe: int | None = await settings.get("n", tag="x", type=int)
        link: str = await settings.get("n", "d", timeout=1, type="url")
        some: list[Any] = await settings.get("n", default=[1], tag="x")
        later: Awaitable[int] = settings.get("n", 3, tag="x")
        del now, number, flag, maybe, link, some, later
