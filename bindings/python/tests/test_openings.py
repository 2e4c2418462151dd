# SPDX-License-Identifier: Apache-2.0
"""How sources are opened and refreshed: the first fetch, announced versions, limits, and the states of all sources."""

from __future__ import annotations

import queue
from ctypes import c_int32
from typing import Any

import pytest
import remora
from conftest import SECONDS, Attached, attachment_of
from remora._ffi import functions
from Servers import v2_faults
from Servers.v2_collection import Collection
from Servers.v2_server import ATTACHMENT, CHANGESET, V2Server
from Servers.waiting import wait_until


def test_a_collection_is_fetched_when_it_is_opened_if_fetch_at_open_is_set(
    client: remora.Client, collection: Collection
) -> None:
    source = client.collection(collection.name, trust="off", fetch_at_open=True)
    wait_until(lambda: "banner" in source, "the first fetch", SECONDS)


def test_fetch_at_open_is_refused_for_a_bundle_without_a_url(host: remora.Client) -> None:
    with pytest.raises(remora.InvalidArgumentError, match="^fetch_at_open asks for a request "):
        host.bundle(None, fetch_at_open=True)


def test_fetch_at_open_must_be_bool_or_none(host: remora.Client) -> None:
    wrong: Any = 1
    with pytest.raises(TypeError, match="fetch_at_open"):
        host.collection("a", fetch_at_open=wrong)


def test_a_client_lists_the_infos_of_its_open_sources_in_the_order_of_opening(
    client: remora.Client, server: V2Server
) -> None:
    first, second = (client.collection(name, trust="off") for name in ("one", "two"))
    states = client.sources()
    assert [(one.name, one.kind, one.server) for one in states] == [
        (f"main/{name}", remora.SourceKind.COLLECTION, server.url) for name in ("one", "two")
    ]
    first.close()
    assert [one.name for one in client.sources()] == ["main/two"]
    assert second.info().name == "main/two"
    client.close()
    with pytest.raises(remora.ClosedError):
        client.sources()


def test_the_option_expected_version_is_sent_to_the_server_with_a_refresh(
    client: remora.Client, server: V2Server, collection: Collection
) -> None:
    source = client.collection(collection.name, trust="off")
    source.refresh(SECONDS, expected_version=1234)
    later = source.info().version + 1000
    ended = queue.SimpleQueue[remora.Outcome]()
    source.refresh_async(lambda outcome, _: ended.put(outcome), expected_version=later)
    assert ended.get(timeout=SECONDS) is remora.Outcome.UNCHANGED
    source.refresh(SECONDS, expected_version=2345)
    asked = [one.query["_expected"] for one in server.requests if one.path.endswith(f"/{collection.name}/changeset")]
    # A version that is not above the local one is not sent.
    assert asked == ["1234", str(later), "0"]


def test_the_option_expected_version_is_refused_for_a_refresh_of_settings(host: remora.Client) -> None:
    settings = host.settings("http://127.0.0.1:1/", fetch_at_open=False)
    with pytest.raises(remora.InvalidArgumentError, match="expected_version"):
        settings.refresh(1, expected_version=1)


def test_the_callback_of_an_asynchronous_refresh_is_called_at_its_timeout(
    client: remora.Client, server: V2Server, collection: Collection
) -> None:
    source = client.collection(collection.name, trust="off")
    ended = queue.SimpleQueue[Any]()
    server.set_fault(CHANGESET, v2_faults.hang())
    source.refresh_async(lambda *result: ended.put(result), timeout=0.05)
    outcome, error = ended.get(timeout=SECONDS)
    assert outcome is remora.Outcome.FAILED and isinstance(error, remora.TimeoutError)


def test_the_callback_of_an_asynchronous_opening_of_an_attachment_is_called_at_its_timeout(
    source: remora.Source, attached: Attached
) -> None:
    attached.publish("icon", b"bytes")
    attachment = attachment_of(source)
    ended = queue.SimpleQueue[Any]()
    attached.server.set_fault(ATTACHMENT, v2_faults.hang())
    attachment.open_async(lambda *result: ended.put(result), 0.05)
    opened, error = ended.get(timeout=SECONDS)
    assert opened is None and isinstance(error, remora.TimeoutError)


@pytest.mark.parametrize(
    ("function", "members"),
    [
        ("remora_source_kind_name", list(remora.SourceKind)),
        ("remora_origin_name", list(remora.Origin)),
        ("remora_outcome_name", list(remora.Outcome)),
        ("remora_cause_name", list(remora.Cause)),
        ("remora_change_kind_name", list(remora.ChangeKind)),
    ],
)
def test_members_of_python_enumerations_have_the_names_that_the_c_library_returns(
    function: str, members: list[Any]
) -> None:
    names = {one: functions[function](c_int32(one)).decode() for one in members}
    assert names == {one: one.name.lower() for one in members}
