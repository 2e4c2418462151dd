# SPDX-License-Identifier: Apache-2.0
"""Versions that a program rejects, and options that refuse fetched versions without enough content."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import BANNER, SECONDS
from remora._runtime.option_fields import collection_fields
from remora.settings import settings_fields
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server
from settings_server import PATH, SettingsServer

GOOD, BAD, NEXT = ({**BANNER, "n": number} for number in (1, 2, 3))


@pytest.fixture
def bad(server: V2Server, collection: Collection, tmp_path: Path) -> Iterator[remora.Source]:
    """The collection, stored with a good version and a bad one after it, which is live."""
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection(collection.name, trust="off")
        for record in (GOOD, BAD):
            collection.publish({"banner": record})
            source.refresh(SECONDS)
        yield source
        source.close()


def test_reject_replaces_the_live_version_by_the_one_before_it_and_reports_an_event(bad: remora.Source) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    rejected = bad.snapshot()
    assert bad.info().rejected_version is None
    with bad.subscribe(events.put):
        bad.reject(rejected, "it does not work")
        event = events.get(timeout=SECONDS)
        assert (event.cause, event.outcome) == (remora.Cause.REJECTED, remora.Outcome.NONE)
        assert [change.key for change in event.changes] == ["banner"]
    assert bad.get_int("banner", "/n") == 1
    assert bad.info().rejected_version == rejected.version > bad.info().version


def test_after_reject_a_refresh_raises_rejected_error_until_the_server_has_another_version(
    bad: remora.Source, collection: Collection
) -> None:
    bad.reject(bad.snapshot())
    for force in (False, True):
        with pytest.raises(remora.RejectedError, match="was rejected") as raised:
            bad.refresh(SECONDS, force=force)
        assert isinstance(raised.value, remora.DocumentError) and raised.value.family == "document"
    assert bad.get_int("banner", "/n") == 1
    collection.publish({"banner": NEXT})
    assert bad.refresh(SECONDS) is remora.Outcome.UPDATED
    assert bad.get_int("banner", "/n") == 3


def test_a_rejection_is_remembered_by_a_later_client_until_a_reset(
    bad: remora.Source, server: V2Server, collection: Collection, tmp_path: Path
) -> None:
    rejected = bad.snapshot()
    bad.reject(rejected)
    bad._client.close()  # type: ignore[attr-defined]
    with remora.Client(tmp_path / "storage", server=server.url) as client:
        source = client.collection(collection.name, trust="off")
        assert source.get_int("banner", "/n") == 1
        assert source.info().rejected_version == client.sources()[0].rejected_version == rejected.version
        with pytest.raises(remora.RejectedError):
            source.refresh(SECONDS)
        source.reset()
        assert source.info().rejected_version is None
        assert source.refresh(SECONDS) is remora.Outcome.UPDATED


def test_reject_raises_not_found_error_for_a_snapshot_that_was_replaced_or_was_not_fetched(
    bad: remora.Source, client: remora.Client, collection: Collection
) -> None:
    old = bad.snapshot()
    collection.publish({"banner": NEXT})
    bad.refresh(SECONDS)
    with pytest.raises(remora.NotFoundError, match="neither live nor staged"):
        bad.reject(old)
    assert bad.get_int("banner", "/n") == 3
    packaged = client.collection("packaged", trust="off", packaged_data='{"data": [], "timestamp": 1}')
    with pytest.raises(remora.NotFoundError, match="no fetched data"):
        packaged.reject(packaged.snapshot())
    with pytest.raises(remora.InvalidArgumentError, match="snapshot belongs to another source"):
        packaged.reject(bad.snapshot())


def test_reject_removes_a_staged_version_that_a_callback_has_checked(
    client: remora.Client, collection: Collection
) -> None:
    done: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = client.collection(collection.name, trust="off", activation="manual")

    def check(event: remora.Event) -> None:
        if event.staged:
            source.reject(event.staged)
        elif event.cause is remora.Cause.REJECTED:
            done.put(event)

    with source.subscribe(check):
        assert source.refresh(SECONDS) is remora.Outcome.STAGED
        assert done.get(timeout=SECONDS).changes == ()
    assert source.info().has_staged is False
    with pytest.raises(remora.RejectedError):
        source.refresh(SECONDS)


def test_an_invalid_argument_of_reject_and_a_closed_snapshot_or_client_raise_errors(bad: remora.Source) -> None:
    untyped: Any = bad
    snapshot = bad.snapshot()
    for wrong, name in ((None, "NoneType"), (5, "int")):
        with pytest.raises(TypeError, match=f"snapshot must be a Snapshot, not {name}"):
            untyped.reject(wrong)
    with pytest.raises(TypeError, match="reason must be str, not int"):
        untyped.reject(snapshot, 5)
    with pytest.raises(ValueError, match="reason contains U"):
        bad.reject(snapshot, "a\0b")
    with pytest.raises(TypeError, match="did you mean 'reason'"):
        untyped.reject(snapshot, reasn="x")
    assert bad.get_int("banner", "/n") == 2
    snapshot.close()
    with pytest.raises(remora.ClosedError):
        bad.reject(snapshot)
    kept = bad.snapshot()
    bad._client.close()  # type: ignore[attr-defined]
    with pytest.raises(remora.ClosedError):
        bad.reject(kept)


def test_reject_is_awaited_in_asyncio(server: V2Server, collection: Collection) -> None:
    async def scene() -> None:
        async with remora.aio.Client.in_memory(server=server.url) as client:
            source = client.collection(collection.name, trust="off")
            await source.refresh(SECONDS)
            rejected = source.snapshot()
            await source.reject(rejected, reason="it does not work")
            assert len(source) == 0 and source.info().rejected_version == rejected.version
            with pytest.raises(remora.RejectedError):
                await source.refresh(SECONDS)
            with pytest.raises(TypeError, match="snapshot"):
                await source.reject(None)  # type: ignore[arg-type]

    asyncio.run(scene(), debug=True)


@pytest.mark.parametrize("options", [{"min_keys": 2}, {"min_keys_percent": 60}], ids=repr)
def test_min_keys_and_min_keys_percent_refuse_a_version_with_fewer_keys_unless_the_refresh_is_forced(
    client: remora.Client, collection: Collection, options: Any
) -> None:
    collection.publish({"other": {}})
    source = client.collection(collection.name, trust="off", **options)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    collection.delete("other")
    with pytest.raises(remora.SchemaError, match=next(iter(options))) as raised:
        source.refresh(SECONDS)
    assert raised.value.name == "REMORA_ERR_SCHEMA" and isinstance(raised.value, remora.DocumentError)
    assert len(source) == 2
    assert source.refresh(SECONDS, force=True) is remora.Outcome.UPDATED
    assert len(source) == 1


def test_required_keys_refuse_a_version_without_one_of_them_unless_the_refresh_is_forced(
    host: remora.Client, settings: SettingsServer
) -> None:
    source = host.settings(
        settings.url(), activation="immediate", fetch_at_open=False, required_keys=iter(["a", "b"]), ttl=0
    )
    settings.serve(a=1, b=2)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    settings.serve(a=2)
    with pytest.raises(remora.SchemaError, match="no key b, which required_keys lists"):
        source.refresh(SECONDS)
    assert source.get_int("a") == 1
    assert source.refresh(SECONDS, force=True) is remora.Outcome.UPDATED
    assert source.get_int("a") == 2 and "b" not in source


@pytest.mark.parametrize(
    ("schema", "passed"),
    [
        ({"type": "object"}, b'{"type": "object"}'),
        ('{"type":"object"}', b'{"type":"object"}'),
        (True, b"true"),
        (False, b"false"),
        (None, None),
    ],
    ids=repr,
)
def test_a_schema_is_passed_to_the_library_as_json_text(schema: Any, passed: bytes | None) -> None:
    for fields in (collection_fields("c", {"schema": schema}), settings_fields(PATH, {"schema": schema})):
        assert fields.opening.get("schema") == passed and "schema" not in fields.own


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"min_keys": "1"}, TypeError, "min_keys must be int, not str"),
        ({"min_keys": True}, TypeError, "min_keys must be int, not bool"),
        ({"min_keys": 1 << 31}, ValueError, "min_keys must fit in 32 bits"),
        ({"min_keys": -1}, remora.InvalidArgumentError, "^min_keys is -1"),
        ({"min_keys_percent": 1.5}, TypeError, "min_keys_percent must be int, not float"),
        ({"min_keys_percent": 101}, remora.InvalidArgumentError, "^min_keys_percent is 101"),
        ({"schema": 5}, TypeError, "schema must be a mapping, a bool or JSON text, not int"),
        ({"schema": {"const": b""}}, TypeError, "schema cannot be written as JSON"),
        ({"schema": "\0"}, ValueError, "schema contains U"),
        ({"required_keys": "abc"}, TypeError, "required_keys must be an iterable of str, not str"),
        ({"required_keys": [5]}, TypeError, "required_keys must be str, not int"),
        ({"required_keys": ["\0"]}, ValueError, "required_keys contains U"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_limit_of_the_content_names_the_option(
    host: remora.Client, options: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        host.settings(fetch_at_open=False, **options)
