# SPDX-License-Identifier: Apache-2.0
"""Bound keys."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, RunPython
from remora._ffi.reads import INT_MARK_VALUE
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from settings_server import SettingsServer

READS = ("get_bool", "get_int", "get_float", "get_str", "get_url", "get_json")

VALUES: dict[str, dict[str, Any]] = {
    "/on": {"get_bool": True, "get_json": True},
    "/n": {"get_int": 5, "get_float": 5.0, "get_json": 5},
    "/ratio": {"get_float": 0.75, "get_json": 0.75},
    "/whole": {"get_int": 2, "get_float": 2.0, "get_json": 2.0},
    "/text": {"get_str": "Hi", "get_json": "Hi"},
    "/list": {"get_json": [1, {"deep": "x"}]},
    "/nothing": {},
    "/absent": {},
}
"""The reads that return each member of the banner; the others return their default."""


@pytest.mark.parametrize("pointer", VALUES)
def test_a_key_handle_reads_a_value_of_its_type_or_returns_the_default(source: remora.Source, pointer: str) -> None:
    default = object()
    with source.key("banner", pointer) as key:
        for name in READS:
            for _ in range(2):  # The second read uses the cache.
                found = getattr(key, name)(default)
                expected = VALUES[pointer].get(name, default)
                assert found == expected and isinstance(found, type(expected)), name
            assert getattr(key, name)() == VALUES[pointer].get(name)
            assert getattr(key, name)(default=default) == VALUES[pointer].get(name, default)


def test_a_key_handle_reads_a_url_and_read_only_json(source: remora.Source) -> None:
    source.overrides["help"] = {"url": "app://help", "text": "no url"}
    with source.key("help", "/url") as url, source.key("help") as whole:
        untyped: Any = whole
        assert url.get_url() == "app://help" and source.key("help", "/text").get_url("none") == "none"
        found = untyped.get_json()
        assert found is untyped.get_json() and found["text"] == "no url"
        with pytest.raises(TypeError, match="read-only"):
            found["text"] = "changed"


def test_a_key_handle_without_a_json_pointer_reads_the_whole_value(source: remora.Source) -> None:
    with source.key("limit") as limit, source.key("limit", "") as same:
        assert limit.get_int() is None
        source.overrides["limit"] = 3
        assert limit.get_int() == same.get_int() == 3


@pytest.mark.parametrize("text", ["", "x" * 64, "x" * 65, "é" * 300, "a\0b", "x" * 5000], ids=len)
def test_a_key_handle_reads_strings_of_any_length(source: remora.Source, text: str) -> None:
    with source.key("banner", "/text") as key:
        source.overrides["banner", "/text"] = text
        assert key.get_str() == key.get_str() == text


@pytest.mark.parametrize("number", [INT_MARK_VALUE, 0, -1, 2**63 - 1, -(2**63)])
def test_a_key_handle_reads_every_64_bit_integer(source: remora.Source, number: int) -> None:
    with source.key("banner", "/n") as key:
        source.overrides["banner", "/n"] = number
        assert key.get_int() == number


def test_a_key_handle_reads_data_that_is_fetched_after_the_handle_was_created(
    source: remora.Source, collection: Collection
) -> None:
    with source.key("late", "/n") as late, source.key("banner", "/n") as early:
        assert (late.get_int(default=-1), early.get_int()) == (-1, 5)
        collection.publish({"banner": {"n": 6}, "late": {"n": 7}})
        source.refresh(SECONDS)
        assert (late.get_int(default=-1), early.get_int()) == (7, 6)


def test_a_key_handle_counts_the_changes_of_its_own_value(source: remora.Source) -> None:
    with source.key("banner", "/n") as key:
        assert key.change_count == 0
        source.overrides["banner", "/text"] = "other"
        assert key.change_count == 0
        source.overrides["banner", "/n"] = 6
        assert key.change_count == key.change_count == 1
        source.overrides.clear()
        assert key.change_count == 2
    assert key.change_count == 0


def test_key_handles_can_read_values_of_bundles_and_settings(host: remora.Client, settings: SettingsServer) -> None:
    settings.serve(dark=True, limits={"uploads": 5})
    remote = host.settings(settings.url(), activation="immediate", fetch_at_open=False)
    remote.refresh(SECONDS)
    bundle = host.bundle(default=[{"namespace": "app", "networkConfiguration": {"endpoint": "https://a.example"}}])
    with remote.key("dark") as dark, remote.key("limits", "/uploads") as uploads:
        assert dark.get_bool() is True and uploads.get_int() == 5
    with bundle.key("app", "/networkConfiguration/endpoint") as endpoint:
        assert endpoint.get_str() == "https://a.example"


def test_a_key_handle_in_asyncio_is_read_without_await(settings: SettingsServer) -> None:
    settings.serve(name="n")

    async def main() -> None:
        async with remora.aio.Client.in_memory() as client:
            source = client.settings(settings.url(), activation="immediate", fetch_at_open=False)
            with source.key("name") as name:
                assert name.get_str(default="d") == "d"
                await source.refresh(SECONDS)
                assert name.get_str(default="d") == await asyncio.to_thread(name.get_str) == "n"
                assert "remora.Key" in repr(name) and "settings" in repr(name)

    asyncio.run(main())


def test_a_closed_key_handle_returns_the_default(source: remora.Source) -> None:
    with source.key("banner", "/n") as key:
        assert not key.closed and key.get_int() == 5
    key.close()
    assert key.closed and "closed" in repr(key)
    assert [getattr(key, name)(default=name) for name in READS] == list(READS) and key.get_int() is None


def test_a_key_handle_can_be_read_after_its_source_was_closed(source: remora.Source) -> None:
    with source.key("banner", "/n") as key:
        source.close()
        assert key.get_int() == 5
        with pytest.raises(remora.ClosedError):
            source.key("banner")


def test_a_key_handle_of_a_closed_client_returns_the_default(client: remora.Client, source: remora.Source) -> None:
    with source.key("banner", "/n") as key:
        client.close()
        assert key.get_int(default=-1) == -1 and not key.closed


def test_a_key_handle_keeps_its_source_open_until_the_handle_is_closed(
    client: remora.Client, collection: Collection
) -> None:
    key = client.collection(collection.name, trust="off").key("banner", "/n")
    (source,) = (weakref.ref(one) for one in gc.get_objects() if isinstance(one, remora.Source) and not one.closed)
    assert source() is not None
    key.close()
    gc.collect()
    assert source() is None and not client.sources()


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ((5,), TypeError, "key"),
        ((None,), TypeError, "key"),
        (("banner", 5), TypeError, "pointer"),
        (("a\0b",), ValueError, "key"),
        (("banner", "/\ud800"), ValueError, "pointer"),
        (("",), remora.InvalidArgumentError, "key"),
        (("x" * 70000,), remora.InvalidArgumentError, "key"),
        (("banner", "text"), remora.InvalidArgumentError, "pointer"),
        (("banner", "/~"), remora.InvalidArgumentError, "pointer"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_creating_a_key_handle_with_an_invalid_key_or_json_pointer_is_an_error_that_names_it(
    source: remora.Source, arguments: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        source.key(*arguments)


def test_a_key_handle_cannot_be_pickled_or_copied(source: remora.Source) -> None:
    with source.key("banner") as key:
        for copying in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled"):
                copying(key)


def test_threads_can_read_a_key_handle_while_another_thread_closes_it(source: remora.Source) -> None:
    key = source.key("banner", "/text")
    found: set[str | None] = set()
    reading, is_over = threading.Barrier(5), threading.Event()

    def read() -> None:
        found.add(key.get_str())
        reading.wait(SECONDS)
        while not is_over.is_set():
            found.add(key.get_str())
            reading_counts.append(key.change_count)
        found.add(key.get_str())

    reading_counts: list[int] = []
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    reading.wait(SECONDS)
    key.close()
    is_over.set()
    for thread in threads:
        thread.join(SECONDS)
    assert found == {"Hi", None} and set(reading_counts) <= {0}


FORKING = """
import os, sys
import remora
client = remora.Client.in_memory(server=sys.argv[1])
source = client.collection(sys.argv[2], trust="off")
source.refresh(30)
key = source.key("banner", "/n")
assert key.get_int() == 5
pid = os.fork()
if pid == 0:
    assert key.get_int() == 5
    source.overrides["banner", "/n"] = 6
    assert key.get_int() == 6
    key.close()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert key.get_int() == 5
"""


def test_a_forked_child_can_read_a_key_handle(server: V2Server, collection: Collection, run_python: RunPython) -> None:
    done = run_python(FORKING, server.url, collection.name)
    assert (done.returncode, done.stderr) == (0, "")


if TYPE_CHECKING:
    # What type checkers conclude; nothing of it runs.

    def _types(source: remora.Source, later: remora.aio.Source) -> None:
        number: int | None = source.key("n").get_int()
        sure: int = source.key("n").get_int(3)
        flag: bool = later.key("n", "/on").get_bool(default=False)
        ratio: float | str = source.key("n").get_float(default="")
        wrong: str = source.key("n").get_str()  # type: ignore[assignment]
        del number, sure, flag, ratio, wrong
