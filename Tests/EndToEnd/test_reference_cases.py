# SPDX-License-Identifier: Apache-2.0
#
# What the tests of the reference clients ask, and no other test here checks: Tests/Conformance.md has all of them.
"""Cases of the reference clients."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from EndToEnd.hosts import Hosts, KintoSource, V2Source, without_metadata
from Servers import v2_lies
from Servers.v2_collection import Collection, Document
from Servers.v2_faults import Fault
from Servers.v2_server import CHANGESET


def test_await_with_only_if_empty_does_not_return_data_with_an_invalid_signature(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    v2.server.set_fault(CHANGESET, v2_lies.forged_record())
    host = hosts.open(v2)
    for _ in range(2):
        answer = host.run("wait", only_if_empty=True)
        assert (answer["status"], answer["origin"], answer["count"]) == ("REMORA_ERR_SIGNATURE_MISMATCH", "none", 0)
    assert len(v2.requests()) == 2  # It has still nothing, so it asks again.
    assert host.values() == {}
    assert hosts.open(v2, after=host).origin() == "none"


def test_await_with_only_if_empty_sends_no_request_after_a_signed_empty_collection_was_fetched(
    v2: V2Source, hosts: Hosts
) -> None:
    host = hosts.open(v2)
    answer = host.succeed("wait", only_if_empty=True)
    assert (answer["origin"], answer["verified"], answer["count"]) == ("fetched", 1, 0)
    v2.publish("a", n=1)
    assert host.succeed("wait", only_if_empty=True)["count"] == 0
    assert len(v2.requests()) == 1
    again = hosts.open(v2, after=host)
    assert again.succeed("wait", only_if_empty=True)["origin"] == "cached"
    assert len(v2.requests()) == 1


def test_a_response_with_an_invalid_signature_does_not_remove_the_records(v2: V2Source, hosts: Hosts) -> None:
    def empty(_: Collection, document: Document) -> Document:
        return {**document, "changes": [], "timestamp": document["timestamp"] + 1}

    host = hosts.published(v2)
    v2.server.set_fault(CHANGESET, Fault(lie=empty))
    assert host.refresh()["status"] == "REMORA_ERR_SIGNATURE_MISMATCH"
    assert set(host.values()) == {"a"}


def test_packaged_data_can_be_read_without_a_network(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    packaged = tmp_path / "packaged.json"
    packaged.write_text(json.dumps({"data": [{"id": "start", "last_modified": 1, "n": 1}], "timestamp": 1}))
    host = hosts.open(v2, packaged_file=packaged)
    v2.server.stop()
    answer = host.run("wait")
    assert (answer["status"], answer["origin"], answer["count"]) == ("REMORA_ERR_NETWORK", "packaged", 1)
    assert host.get_int("start", "/n", 0) == 1
    assert host.succeed("wait", only_if_empty=True)["origin"] == "packaged"


def test_a_full_response_removes_every_record_that_the_response_does_not_contain(v2: V2Source, hosts: Hosts) -> None:
    for key in ("a", "b", "c"):
        v2.publish(key, n=1)
    host = hosts.updated(v2)
    host.succeed("subscribe")
    timestamp = v2.content.timestamp + 1
    records = [{"id": "b", "n": 2, "last_modified": timestamp}, {"id": "d", "n": 1, "last_modified": 300}]

    def everything(collection: Collection, _: Document) -> Document:
        return collection.document(collection.make_version(records, timestamp))

    # The old record "d" shows that this is not a diff, so that no second request is needed.
    v2.server.set_fault(CHANGESET, Fault(lie=everything))
    host.update()
    assert (v2.last_since() is not None, host.version()) == (True, timestamp)
    assert without_metadata(host.values()) == {"b": {"n": 2}, "d": {"n": 1}}
    kinds = [(one["kind"], one["key"]) for one in host.event()["changes"]]
    assert kinds == [("deleted", "a"), ("updated", "b"), ("deleted", "c"), ("created", "d")]


ATTACHMENT = {"filename": "a", "mimetype": "text/plain", "location": "a", "hash": "0" * 64, "size": 1}

HARD: dict[str, dict[str, object]] = {
    "floats": {"n": [0.0, -0.0, 1.0, 100.0, 0.1, 1.5, 1e21, 1e-7, 5e-324, 1.7976931348623157e308]},
    "integers": {"n": [0, -1, 2**53, -(2**53), 2**63 - 1, -(2**63)]},
    "astral keys beside others": {"\U0001f600": 1, "\uffee": 2, "A": 3, "a": 4, "10": 5, "2": 6, "": 7},
    "strings of every kind": {"s": '\x00\x01\x1f\x7f\u0080\u2028\ud7ff\ue000\U0010ffff\\/"'},
    "members that are null": {"nul": None, "deep": {"nul": None, "list": [None, {}, []]}},
    "an attachment with more than five members": {"attachment": {**ATTACHMENT, "original": {"size": 2}, "extra": True}},
}


@pytest.mark.parametrize("name", HARD)
def test_values_that_are_hard_to_write_as_canonical_json_are_verified_and_read_unchanged(
    v2: V2Source, hosts: Hosts, name: str
) -> None:
    v2.publish("a", **HARD[name])
    v2.publish("é\U0001f600", **HARD[name])
    host = hosts.updated(v2)
    assert host.succeed("snapshot")["verified"] == 1
    assert without_metadata(host.values()) == {"a": HARD[name], "é\U0001f600": HARD[name]}
    v2.publish("b", n=1)
    host.update()
    assert v2.last_since() is not None  # The merged texts verify too.


def test_a_filter_with_characters_beyond_ascii_is_evaluated(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.put("shown", filter_expression="env.name == 'Zoë😀' && 'ë' in env.name")
    kinto.publish("hidden", filter_expression="env.name == 'Zoe'")
    host = hosts.open(kinto)
    host.succeed("set_context", {"name": "Zoë😀"})
    host.update()
    assert (set(host.values()), host.succeed("info")["filter_failures"]) == ({"shown"}, 0)
