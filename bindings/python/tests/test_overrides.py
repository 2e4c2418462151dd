# SPDX-License-Identifier: Apache-2.0
"""Values of the program's own over what is fetched."""

from __future__ import annotations

import math
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import BANNER, SECONDS
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server


def test_an_override_takes_precedence_over_fetched_values_until_it_is_deleted(
    source: remora.Source, collection: Collection
) -> None:
    source.overrides["banner", "/n"] = 6
    source.overrides["banner", "/new/deep"] = ["x", None]
    source.overrides["mine"] = {"a": 1}
    assert source["banner"] == {**source.snapshot(unfiltered=True)["banner"], "n": 6, "new": {"deep": ["x", None]}}  # type: ignore[dict-item]
    assert source["mine"] == {"a": 1} and source.get_int("banner", "/n") == 6
    collection.publish({"banner": {**BANNER, "n": 7, "text": "newer"}})
    source.refresh(30)
    assert source.get_int("banner", "/n") == 6 and source.get_str("banner", "/text") == "newer"
    del source.overrides["banner", "/n"]
    assert source.get_int("banner", "/n") == 7
    source.overrides.clear()
    assert dict(source) == dict(source.snapshot(unfiltered=True)) and "mine" not in source


def test_overrides_are_a_sorted_mapping_from_key_and_json_pointer_to_value(source: remora.Source) -> None:
    overrides = source.overrides
    assert not overrides and overrides == {}
    overrides["b"] = None
    overrides["a", "/x"] = 1
    overrides.update({("a", "/z~1~0"): {"y": 2.5}, ("ä", ""): "é\0"})
    expected = {("a", "/x"): 1, ("a", "/z~1~0"): {"y": 2.5}, ("b", ""): None, ("ä", ""): "é\0"}
    assert list(overrides) == list(expected) and overrides == expected and len(overrides) == 4
    assert overrides["b"] is None and overrides["b", ""] is None
    places: list[Any] = [("a", "/x"), "b", "a", ("a", ""), "none"]
    assert [place in overrides for place in places] == [True, True, False, False, False]
    assert overrides.pop(("a", "/x")) == 1 and overrides.get(("none", ""), 5) == 5
    assert overrides.setdefault(("b", ""), 9) is None
    assert repr(overrides) == "<remora.Overrides [('a', '/z~1~0'), ('b', ''), ('ä', '')]>"
    del overrides["a"]
    assert list(source.overrides) == [("b", ""), ("ä", "")]


def test_an_override_replaces_the_overrides_inside_its_value(source: remora.Source) -> None:
    source.overrides["k", "/a/b"] = 1
    source.overrides["k", "/a"] = {"c": 2}
    assert source.overrides == {("k", "/a"): {"c": 2}}
    source.overrides["k", "/a/d"] = 3
    assert source["k"] == {"a": {"c": 2, "d": 3}}
    del source.overrides["k", "/a"]
    assert "k" not in source and source.overrides == {}


def test_a_value_that_was_read_from_a_snapshot_can_be_set_as_an_override(source: remora.Source) -> None:
    source.overrides["copy"] = source["banner"]
    assert source["copy"] == source["banner"]


def test_reading_or_deleting_a_missing_override_raises_an_error(source: remora.Source) -> None:
    source.overrides["banner", "/n"] = 6
    for place in ("other", ("banner", "/text"), ("banner", "/n/x")):
        with pytest.raises(KeyError):
            del source.overrides[place]
        with pytest.raises(remora.NotFoundError):
            source.overrides[place]
    assert len(source.overrides) == 1


@pytest.mark.parametrize("place", [5, None, b"banner", ("banner",), ("banner", 5), ("banner", None), ("a", "", "")])
def test_an_override_whose_key_or_json_pointer_is_not_a_str_is_a_type_error(source: remora.Source, place: Any) -> None:
    with pytest.raises(TypeError, match="override"):
        source.overrides[place] = 1
    with pytest.raises(TypeError, match="override"):
        del source.overrides[place]
    with pytest.raises(TypeError, match="override"):
        source.overrides[place]


@pytest.mark.parametrize("place", ["", ("banner", "n"), ("banner", "/~"), "x" * 65536, "a\0", "\ud800"])
def test_an_override_with_an_invalid_key_or_json_pointer_is_a_value_error(source: remora.Source, place: Any) -> None:
    with pytest.raises(ValueError):
        source.overrides[place] = 1
    assert len(source.overrides) == 0


@pytest.mark.parametrize("value", [math.nan, object(), {1: object()}, "\ud800", 1 << 63, {"a": "x" * (1 << 20)}])
def test_an_override_that_is_not_json_is_refused_and_changes_nothing(source: remora.Source, value: Any) -> None:
    before = source["banner"]
    with pytest.raises((TypeError, ValueError)):
        source.overrides["banner"] = value
    assert source["banner"] == before and not source.overrides


def test_an_override_inside_a_number_or_string_or_array_is_refused(source: remora.Source) -> None:
    for pointer, place in (("/n/x", "/n"), ("/list/0", "/list"), ("/text/", "/text")):
        with pytest.raises(remora.WrongTypeError, match=f'"banner" at {place} is'):
            source.overrides["banner", pointer] = 1
    source.overrides["banner", "/nothing/x"] = 1
    assert source.get_int("banner", "/nothing/x") == 1


def test_an_override_with_the_option_if_exists_is_refused_if_its_key_is_missing(source: remora.Source) -> None:
    source.overrides.set(("banner", "/new/deep"), [1], if_exists=True)
    assert source["banner"]["new"] == {"deep": [1]}  # type: ignore[index, call-overload]
    for place in ("none", ("none", "/x")):
        with pytest.raises(remora.NotFoundError, match='"none"'):
            source.overrides.set(place, 1, if_exists=True)
    with pytest.raises(KeyError):
        source.overrides.set("none", None, if_exists=True)
    assert list(source.overrides) == [("banner", "/new/deep")]
    source.overrides.set("none", {})
    with pytest.raises(remora.NotFoundError, match='"none"'):
        source.overrides.set(("none", "/x"), 1, if_exists=True)
    assert source["none"] == {}
    with pytest.raises(TypeError):
        source.overrides.set(5, 1, if_exists=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        source.overrides.set(("banner", "n"), 1, if_exists=True)


def test_a_snapshot_returns_whether_a_key_was_fetched_or_set_by_an_override(source: remora.Source) -> None:
    before = source.snapshot()
    source.overrides["mine"] = 1
    after = source.snapshot()
    assert after.origin_of("mine") is remora.Origin.OVERRIDE and after.origin_of("banner") is remora.Origin.FETCHED
    assert after.origin is remora.Origin.FETCHED
    for snapshot, key in ((before, "mine"), (after, "none"), (after, "")):
        with pytest.raises(KeyError):
            snapshot.origin_of(key)


def test_subscribers_are_notified_of_changes_by_overrides(source: remora.Source) -> None:
    seen: queue.Queue[Any] = queue.Queue()
    with source.subscribe(seen.put):
        source.overrides["banner", "/n"] = 6
        event = seen.get(timeout=SECONDS)
        (change,) = event.changes
        assert (event.cause, change.kind, change.key) == (remora.Cause.OVERRIDE, remora.ChangeKind.UPDATED, "banner")
        assert (change.old["n"], change.new["n"]) == (5, 6)
        source.overrides["banner", "/n"] = 6
        source.overrides.clear()
        event = seen.get(timeout=SECONDS)
        assert event.changes[0].new["n"] == 5 and seen.empty()


def test_a_callback_can_set_an_override(source: remora.Source) -> None:
    seen: queue.Queue[Any] = queue.Queue()

    def answer(event: remora.Event) -> None:
        if event.changes[0].key == "question":
            source.overrides["answer"] = 42
        seen.put(event)

    with source.subscribe(answer):
        source.overrides["question"] = "?"
        assert [seen.get(timeout=SECONDS).changes[0].key for _ in range(2)] == ["question", "answer"]
    assert source["answer"] == 42


def test_overrides_are_stored_only_with_the_option_persist_overrides(
    server: V2Server, collection: Collection, tmp_path: Path
) -> None:
    for persist, expected in ((True, {}), (False, {}), (True, {("k", "/x"): [1]})):
        with remora.Client(tmp_path / "store", server=server.url) as client:
            source = client.collection(collection.name, trust="off", persist_overrides=persist)
            assert source.overrides == expected
            source.overrides["k", "/x"] = [1] if persist else [2]
            assert source["k"] == {"x": [1] if persist else [2]}


def test_a_closed_source_refuses_access_to_its_overrides(source: remora.Source) -> None:
    overrides = source.overrides
    overrides["a"] = 1
    source.close()
    with pytest.raises(remora.ClosedError):
        overrides["a"] = 2
    looks: list[Callable[[], object]] = [
        lambda: len(overrides),
        lambda: list(overrides),
        lambda: overrides["a"],
        overrides.clear,
    ]
    for look in looks:
        with pytest.raises(remora.ClosedError):
            look()
    with pytest.raises(remora.ClosedError):
        del overrides["a"]


def test_overrides_are_set_and_cleared_with_await_in_asyncio(play: Any) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        await source.set_override(("banner", "/n"), 6)
        await source.set_override("mine", {"a": [1]})
        assert source["mine"] == {"a": [1]} and source.get_int("banner", "/n") == 6
        assert source.overrides == {("banner", "/n"): 6, ("mine", ""): {"a": [1]}}
        await source.clear_override(("banner", "/n"))
        with pytest.raises(remora.NotFoundError):
            await source.clear_override("banner")
        with pytest.raises(TypeError):
            await source.set_override("banner", object())
        with pytest.raises(TypeError):
            await source.set_override(5, 1)  # type: ignore[arg-type]
        with pytest.raises(remora.NotFoundError):
            await source.set_override(("absent", "/n"), 1, if_exists=True)
        await source.clear_overrides()
        assert len(source.overrides) == 0 and source.get_int("banner", "/n") == 5

    play(scene)


def test_an_assignment_to_overrides_in_asyncio_raises_an_error_that_names_the_method_to_await(play: Any) -> None:
    async def scene(_: remora.aio.Client, source: remora.aio.Source) -> None:
        overrides: Any = source.overrides
        place = ("banner", "/n")
        with pytest.raises(TypeError, match=r"await settings.set_override\(\('banner', '/n'\), value\)"):
            overrides[place] = 6
        with pytest.raises(TypeError, match=r"await settings.clear_override\('banner'\)"):
            del overrides["banner"]
        assert len(overrides) == 0

    play(scene)
