# SPDX-License-Identifier: Apache-2.0
"""The converted values that sources, snapshots and bound keys keep."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
from conftest import RunPython
from remora._ffi import keys, reads
from remora._runtime import content
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from Servers.waiting import wait_until

KINDS = {"get_bool": True, "get_int": 5, "get_float": 0.5, "get_str": "text", "get_url": "app://editor"}
"""A value of each typed read."""
OTHERS = {"get_bool": False, "get_int": -6, "get_float": 2.25, "get_str": "other", "get_url": "app://home"}
"""Another one."""
NOTHING = object()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of a typed read."""
    return str(request.param)


@pytest.fixture
def read(source: remora.Source, kind: str) -> Iterator[Callable[[], Any]]:
    """Reads a place twice: of the source, of a bound key and of a snapshot. Returns what all of them found."""

    def found() -> Any:
        every = [getattr(source, kind)("banner", "/value", NOTHING) for _ in range(2)]
        if key is not None:
            every += [getattr(key, kind)(NOTHING) for _ in range(2)]
        if every[0] is not NOTHING:
            every += [getattr(source.snapshot(), kind)("banner", "/value") for _ in range(2)]
        assert all(one == every[0] and type(one) is type(every[0]) for one in every), every
        return every[0]

    key = source.key("banner", "/value") if kind != "get_url" else None
    yield found
    if key is not None:
        key.close()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The converted reads that reach the library, by their kinds."""
    made: list[str] = []

    def counted(kind: str, read: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            made.append(kind)
            return read(*arguments)

        return call

    snapshot_value = reads.snapshot_value
    monkeypatch.setattr(reads, "snapshot_value", lambda kind, *rest: counted(kind, snapshot_value)(kind, *rest))
    for kind, function in reads.SOURCE_READS.items():
        monkeypatch.setitem(reads.SOURCE_READS, kind, counted(kind, function))
    for kind, read in keys.KEY_READS.items():
        monkeypatch.setitem(keys.KEY_READS, kind, counted(f"key {kind}", read))
    return made


def test_a_typed_read_returns_the_new_value_after_a_refresh(
    source: remora.Source, collection: Collection, kind: str, read: Callable[[], Any]
) -> None:
    for value in (KINDS[kind], OTHERS[kind], KINDS[kind]):
        collection.publish({"banner": {"value": value}})
        source.refresh(30)
        assert read() == value


def test_a_typed_read_returns_the_default_when_a_refresh_removes_the_value(
    source: remora.Source, collection: Collection, kind: str, read: Callable[[], Any]
) -> None:
    for record in ({"value": KINDS[kind]}, {}, {"value": None}, {"value": OTHERS[kind]}):
        collection.publish({"banner": record})
        source.refresh(30)
        expected = record.get("value")
        assert read() == (NOTHING if expected is None else expected)
    source.overrides["banner"] = None
    assert read() is NOTHING


def test_a_typed_read_returns_the_default_when_a_refresh_changes_the_type_of_the_value(
    source: remora.Source, collection: Collection, kind: str, read: Callable[[], Any]
) -> None:
    for value in (KINDS[kind], [KINDS[kind]], KINDS[kind]):
        collection.publish({"banner": {"value": value}})
        source.refresh(30)
        assert read() == (NOTHING if isinstance(value, list) else value)


def test_an_override_is_read_at_once_until_it_is_cleared(
    source: remora.Source, collection: Collection, kind: str, read: Callable[[], Any]
) -> None:
    assert read() is NOTHING
    source.overrides["banner", "/value"] = KINDS[kind]
    assert read() == KINDS[kind]
    source.overrides["banner", "/value"] = OTHERS[kind]
    assert read() == OTHERS[kind]
    source.overrides.clear()
    assert read() is NOTHING


def test_a_record_is_not_read_any_more_after_a_new_context_hides_it(
    client: remora.Client, source: remora.Source, collection: Collection, kind: str, read: Callable[[], Any]
) -> None:
    collection.publish({"banner": {"value": KINDS[kind], "filter_expression": 'env.locale == "de"'}})
    source.refresh(30)
    for locale in ("fr", "de", "fr"):
        client.set_context({"locale": locale})
        assert read() == (KINDS[kind] if locale == "de" else NOTHING)


def test_a_closed_source_returns_the_default_and_its_snapshot_still_returns_the_value(source: remora.Source) -> None:
    snapshot = source.snapshot()
    assert source.get_int("banner", "/n") == source.get_int("banner", "/n") == 5
    source.close()
    assert source.get_int("banner", "/n") is None and source.get_int("banner", "/n", 8) == 8
    assert snapshot.get_int("banner", "/n") == 5


def test_a_typed_read_of_a_source_returns_the_default_after_the_client_is_closed(
    client: remora.Client, source: remora.Source
) -> None:
    assert source.get_str("banner", "/text") == source.get_str("banner", "/text") == "Hi"
    client.close()
    assert source.get_str("banner", "/text") is None and source.get_str("banner", "/text", "d") == "d"


def test_a_default_is_returned_only_to_the_caller_that_passed_it(source: remora.Source) -> None:
    first, second = object(), object()
    for pointer in ("/missing", "/text", "/nothing"):
        assert source.get_int("banner", pointer, first) is first
        assert source.get_int("banner", pointer, second) is second
        assert source.get_int("banner", pointer) is None
    with source.key("banner", "/missing") as key:
        assert key.get_int(first) is first and key.get_int(second) is second and key.get_int() is None


def test_a_snapshot_distinguishes_a_missing_value_from_a_value_of_another_type(source: remora.Source) -> None:
    for pointer, error in (("/missing", remora.NotFoundError), ("/text", remora.WrongTypeError)):
        assert source.get_int("banner", pointer) is source.get_int("banner", pointer) is None
        for _ in range(2):
            with pytest.raises(error):
                source.snapshot().get_int("banner", pointer)
    for read in (source.get_int, source.snapshot().get_int):
        for _ in range(2):
            with pytest.raises(remora.InvalidArgumentError):
                read("banner", "no pointer", 1)


def test_a_repeated_read_is_answered_by_the_read_cache_of_the_binding_without_a_call_of_the_c_library(
    source: remora.Source, calls: list[str]
) -> None:
    with source.key("banner", "/n") as key, source.key("banner", "/missing") as missing:
        for number in (5, 6, 7):
            source.overrides["banner", "/n"] = number
            for _ in range(3):
                snapshot = source.snapshot()
                assert source.get_int("banner", "/n") == snapshot.get_int("banner", "/n") == key.get_int() == number
                assert source.get_bool("banner", "/missing", True) is missing.get_bool(True) is True
            assert sorted(calls) == ["bools", "ints", "ints", "key bools", "key ints"]
            calls.clear()


def test_each_read_bypasses_the_read_cache_while_the_revision_of_the_source_is_unknown(
    source: remora.Source, calls: list[str]
) -> None:
    source._revision = [-5]
    with source.key("banner", "/n") as key:
        for count in (1, 2, 3):
            assert source.get_int("banner", "/n") == key.get_int() == 5 and source["banner"]["n"] == 5  # type: ignore[call-overload, index]
            assert (calls.count("ints"), calls.count("key ints")) == (count, count)
        assert source["banner"] is not source["banner"]


def test_the_read_cache_stores_a_value_separately_for_each_type_to_which_it_is_converted(source: remora.Source) -> None:
    for _ in range(2):
        assert [repr(read("banner", "/whole")) for read in (source.get_int, source.get_float)] == ["2", "2.0"]
        assert source.get_bool("banner", "/whole") is None and source.get_str("banner", "/whole") is None
        assert source.get_str("banner", "/text") == "Hi" and source.get_url("banner", "/text") is None


def test_the_read_cache_keeps_a_limited_number_of_values(
    source: remora.Source, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_MOST_KEPT", 2)
    source.overrides["numbers"] = list(range(5))
    for _ in range(2):
        assert [source.get_int("numbers", f"/{index}") for index in range(5)] == list(range(5))
    assert len(calls) == 5 + 3


def test_long_strings_are_read_and_not_cached(source: remora.Source, calls: list[str]) -> None:
    for text in ("x" * 256, "x" * 257):
        source.overrides["banner", "/text"] = text
        assert source.get_str("banner", "/text") == source.get_str("banner", "/text") == text
    assert len(calls) == 1 + 2


class Odd(str):
    """A text that compares as another one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("unread")


def test_a_read_with_a_key_of_a_subclass_of_str_is_not_cached(source: remora.Source) -> None:
    source.overrides["unread"] = {"n": 9}
    assert source.get_int(Odd("missing"), "/n") is None
    assert source.get_int("unread", "/n") == source.get_int("unread", "/n") == 9


def test_with_a_debug_log_a_read_that_returns_its_default_bypasses_the_read_cache_so_that_the_library_can_log_it(
    server: V2Server, collection: Collection, calls: list[str]
) -> None:
    lines: list[str] = []
    logger = logging.Logger("debug", logging.DEBUG)
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    with remora.Client.in_memory(server=server.url, logger=logger) as client:
        source = client.collection(collection.name, trust="off")
        source.refresh(30)
        with source.key("banner", "/text") as key:
            for _ in range(3):
                assert source.get_int("banner", "/text") is key.get_bool() is None
        assert calls.count("key bools") == 3 and calls.count("ints") == 3
        for reason in ("is a string, not an integer", "is a string, not a boolean"):
            wait_until(lambda: [one for one in lines if reason in one], reason, 20)
            assert len([one for one in lines if reason in one]) == 1, lines


FORKING = """
import os, sys
import remora
from Servers.v2_server import V2Server

def found():
    every = [source.get_int("banner", "/n"), source.get_int("banner", "/n"), key.get_int(), key.get_int()]
    every += [source.snapshot().get_int("banner", "/n"), source["banner"]["n"]]
    assert len({*every}) == 1, every
    return every[0]

with V2Server(None) as server:
    collection = server.collection("forking")
    collection.publish({"banner": {"n": 5}})
    client = remora.Client(sys.argv[1], server=server.url)
    source = client.collection("forking", trust="off")
    source.refresh(30)
    key = source.key("banner", "/n")
    assert found() == 5
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(go)  # otherwise the read would not end with the parent
        os.read(ready, 1)
        assert found() == 7
        source.overrides["banner", "/n"] = 8
        assert found() == 8
        os._exit(0)
    collection.publish({"banner": {"n": 7}})
    source.refresh(30)
    assert found() == 7
    os.write(go, b"g")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert found() == 7
"""


def test_a_forked_child_reads_stored_data_instead_of_values_that_its_parent_cached(
    run_python: RunPython, tmp_path: Path
) -> None:
    done = run_python(FORKING, tmp_path / "storage")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
