# SPDX-License-Identifier: Apache-2.0
"""Representations: kind, name, version and origin, and never a value or a credential."""

from __future__ import annotations

import asyncio
import enum
import queue
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS, Attached, attachment_of
from remora.values import Activation, Method, Trust
from settings_server import SettingsServer

SECRET = "s3cret"


def test_the_repr_of_a_source_or_snapshot_shows_its_kind_name_version_and_origin(source: remora.Source) -> None:
    name, snapshot = source.info().name, source.snapshot()
    state = f"version={snapshot.version} origin=FETCHED"
    assert repr(source) == f"<remora.Source collection {name!r} {state}>"
    assert repr(snapshot) == f"<remora.Snapshot collection {name!r} {state} keys=1>"
    with source.key("banner", "/text") as key:
        assert repr(key) == f"<remora.Key 'banner' '/text' collection {name!r}>"
    assert repr(key) == "<remora.Key 'banner' '/text' closed>"
    with source.subscribe(print, key="banner") as subscription:
        assert repr(subscription) == f"<remora.Subscription collection {name!r} key='banner' open>"
    assert repr(subscription) == f"<remora.Subscription collection {name!r} key='banner' closed>"
    assert subscription.closed
    source.close()
    assert repr(source) == f"<remora.Source collection {name!r} closed>"


def test_the_repr_of_a_closed_source_or_snapshot_shows_that_it_is_closed(client: remora.Client) -> None:
    source = client.collection("a")
    snapshot = source.snapshot()
    source.close()
    assert (
        repr(source) == "<remora.Source closed>" and repr(snapshot) == "<remora.Snapshot version=0 origin=NONE keys=0>"
    )
    snapshot.close()
    assert repr(snapshot) == "<remora.Snapshot closed>"


def test_the_repr_of_a_client_shows_its_storage_directory_and_state(tmp_path: Path) -> None:
    with remora.Client(tmp_path) as client:
        assert repr(client) == f"<remora.Client storage_dir={str(tmp_path)!r} open>"
    assert repr(client) == f"<remora.Client storage_dir={str(tmp_path)!r} closed>"
    assert repr(remora.Installer(tmp_path)) == f"<remora.Installer storage_dir={str(tmp_path)!r}>"


def test_the_repr_of_an_event_shows_its_cause_its_source_and_the_changed_keys(source: remora.Source) -> None:
    events: queue.Queue[remora.Event] = queue.Queue()
    name, version = source.info().name, source.snapshot().version
    with source.subscribe(events.put, replay=True):
        end = f"collection {name!r} version={version} origin=FETCHED changes="
        event = events.get(timeout=SECONDS)
        assert repr(event) == f"<remora.Event OPENED {end}[]>"
        assert (event.source_name, event.kind) == (name, remora.SourceKind.COLLECTION)
        source.refresh(SECONDS)
        assert repr(events.get(timeout=SECONDS)) == f"<remora.Event REFRESHED UNCHANGED {end}[]>"
        source.overrides["banner", "/text"] = SECRET
        event = events.get(timeout=SECONDS)
        assert repr(event) == f"<remora.Event OVERRIDE {end}['banner']>"
        assert repr(event.changes) == "(Change(key='banner', kind=ChangeKind.UPDATED),)"


def test_no_repr_contains_a_value_or_a_credential(settings: SettingsServer) -> None:
    settings.serve(token=SECRET)
    seen: queue.Queue[Any] = queue.Queue()
    headers = {"Authorization": f"Bearer {SECRET}"}
    with remora.Client.in_memory(headers=headers, on_attempt=seen.put) as client:
        url = f"{settings.url()}?key={SECRET}"
        source = client.settings(url, params={"token": SECRET}, fetch_at_open=False, activation="immediate")
        subscription = source.subscribe(seen.put)
        source.refresh(SECONDS)
        assert source["token"] == SECRET
        source.overrides["token"] = SECRET * 2
        seed = remora.Installer("/nowhere", headers=headers).settings(url, params={"token": SECRET})
        shown = [client, source, source.snapshot(), source.key("token"), source.overrides, source.info(), seen.get()]
        shown += [*client.sources(), client.sync(SECONDS), subscription, seed, seed.request()]
        assert all(SECRET not in repr(one) for one in shown), shown
        assert repr(source).startswith(f"<remora.Settings settings {settings.url()!r} version=")


def test_the_repr_of_an_attachment_shows_its_name_and_size(stored: remora.Source, attached: Attached) -> None:
    location = attached.publish("icon", b"abc", filename="icon.png")
    attachment = attachment_of(stored)
    shown = repr(attachment)
    assert all(part in shown for part in ("filename='icon.png'", f"location={location!r}", "size=3"))
    with attachment.open(SECONDS) as opened:
        assert repr(opened) == f"<remora.OpenAttachment size=3 path={opened.path!r}>"
    assert repr(opened) == "<remora.OpenAttachment closed>"


def test_the_repr_of_an_asyncio_client_or_source_shows_its_own_class() -> None:
    async def main() -> None:
        async with remora.aio.Client.in_memory() as client:
            source = client.collection("a")
            assert repr(client) == "<remora.aio.Client storage_dir=':memory:' open>"
            assert repr(source) == "<remora.aio.Source collection 'main/a' version=0 origin=NONE>"

    asyncio.run(main())


ENUMS: list[type[enum.IntEnum]] = [
    remora.Cause, remora.ChangeKind, remora.Origin, remora.Outcome, remora.SourceKind, Activation, Method, Trust,
]  # fmt: skip


@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: kind.__name__)
def test_members_of_enumerations_print_their_names(kind: type[enum.IntEnum]) -> None:
    for member in kind:
        assert repr(member) == f"{kind.__name__}.{member.name}" and str(member) == f"{member}" == member.name
        assert f"{member:d}" == str(int(member))


def test_assigning_an_item_of_a_source_fails_and_the_error_names_the_method_for_overrides(
    source: remora.Source,
) -> None:
    writable: Any = source
    changes: list[Any] = [lambda: writable.__setitem__("x", SECRET), lambda: writable.__delitem__("x")]
    for change in changes:
        with pytest.raises(
            TypeError, match=r"^remora.Source is read-only: settings.overrides.set\('x', value\)"
        ) as error:
            change()
        assert "del settings.overrides['x']" in str(error.value) and SECRET not in str(error.value)
    assert "x" not in source and not source.overrides


def test_assigning_an_item_of_an_asyncio_source_fails_and_the_error_names_the_method_for_overrides() -> None:
    async def main() -> None:
        async with remora.aio.Client.in_memory() as client:
            source: Any = client.collection("a")
            with pytest.raises(TypeError, match=r"^remora.aio.Source is read-only: await settings.set_override\('x'"):
                source["x"] = 1

    asyncio.run(main())
