# SPDX-License-Identifier: Apache-2.0
#
# Documents that are not what the protocol prescribes, one fault each: refused whole, by name, while the good data stay
# and the other collections go on. And records that look wrong and are not refused for it.
"""Bad documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers.v2_collection import Collection, Document
from Servers.v2_faults import Fault
from Servers.v2_server import CHANGESET

Change = Callable[[Document], Document]
JSON = dict[str, Any]


def adding(*records: Any) -> Change:
    """More changes, behind the honest ones."""
    return lambda document: {**document, "changes": [*document["changes"], *records]}


def having(**members: Any) -> Change:
    """Other members of the document."""
    return lambda document: {**document, **members}


def without(*names: str) -> Change:
    """Members left out."""
    return lambda document: {name: value for name, value in document.items() if name not in names}


@dataclass(frozen=True)
class Bad:
    """What is done to a good answer, and what the error must say."""

    change: Change
    status: str
    words: tuple[str, ...]


def bad(change: Change, *words: str, status: str = "REMORA_ERR_FORMAT") -> Bad:
    return Bad(change, status, words)


BAD = {
    "a record without id": bad(adding({"last_modified": 1}), "record 1", "id"),
    "an id beyond 65,535 bytes": bad(adding({"id": "k" * 65_536, "last_modified": 1}), "65536"),
    "a record that is a string": bad(adding("a"), "record 1"),
    "a record without last_modified": bad(adding({"id": "x"}), "record x", "last_modified"),
    "one id twice": bad(adding({"id": "x", "last_modified": 1}, {"id": "x", "last_modified": 2}), "record x", "twice"),
    "no metadata": bad(without("metadata"), "metadata"),
    "no timestamp": bad(without("timestamp"), "timestamp"),
    "a timestamp beyond 63 bits": bad(having(timestamp=1 << 63), "the server's response", status="REMORA_ERR_PARSE"),
    "no changes": bad(without("changes"), "changes"),
    "signatures that are no list": bad(
        having(metadata={"signatures": {}}), "signature", status="REMORA_ERR_SIGNATURE_MISSING"
    ),
    "signatures of nothing": bad(
        having(metadata={"signatures": [None, 5, "x", {}]}), "signature", status="REMORA_ERR_SIGNATURE_MISSING"
    ),
}


def only_for(source: V2Source, change: Change) -> Fault:
    """A lie about one collection; the others of the server are served honestly."""

    def lie(collection: Collection, document: Document) -> Document:
        return change(document) if collection.name == source.collection else document

    return Fault(lie=lie)


class Pair:
    """A host with a collection that is lied about, and another one of the same server."""

    def __init__(self, v2: V2Source, hosts: Hosts) -> None:
        self._v2, self._hosts = v2, hosts
        self.other = V2Source(v2.server, f"{v2.collection}-other", v2.root)
        self.timestamp = v2.publish("a", n=1)
        self.other.publish("x", n=1)
        self.host = hosts.open(self.other)
        self.host.succeed("open", "collection", v2.collection, root_sha256=v2.root, on_event=True)
        assert self.host.succeed("sync")["updated"] == 2
        assert self.host.event()["cause"] == "opened"
        assert self.host.event()["outcome"] == "updated"

    def assert_refused(self, fault: Fault, status: str, words: tuple[str, ...]) -> None:
        """The lie is refused by name, the good data stay, in memory and on disk, and the other collection moves."""
        self._v2.publish("b", n=2)
        self.other.publish("y", n=2)
        self._v2.server.set_fault(CHANGESET, fault)
        report = self.host.run("sync")
        assert (report["updated"], report["failed"]) == (1, 1), report
        items = {item["source_name"].split("/")[1]: item for item in report["items"]}
        refused = items[self._v2.collection]
        assert (refused["status"], refused["outcome"]) == (status, "refused")
        assert items[self.other.collection]["outcome"] == "updated"
        for word in words:
            assert word in refused["message"]
        event = self.host.event()
        assert (event["outcome"], event["error"]["status"], event["changes"]) == ("refused", status, [])
        self.assert_kept(self.host)
        assert self.host.succeed("info")["last_error"]["status"] == status
        assert self.host.end() == 0

    def assert_kept(self, host: Driver) -> None:
        assert (host.version(), set(host.values())) == (self.timestamp, {"a"})


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_document_is_refused_with_a_reason_and_the_other_sources_are_updated(
    v2: V2Source, hosts: Hosts, name: str
) -> None:
    case = BAD[name]
    pair = Pair(v2, hosts)
    pair.assert_refused(only_for(v2, case.change), case.status, case.words)
    successor = hosts.open(v2)
    pair.assert_kept(successor)
    first = hosts.open(v2, storage=hosts.storage.parent / "first")
    assert first.refresh()["status"] == case.status
    assert (first.origin(), first.values()) == ("none", {})
    v2.server.clear_faults()
    for host in (successor, first):
        host.update()
        assert set(host.values()) == {"a", "b"}


ATTACHMENT = {"filename": "a", "mimetype": "text/plain", "location": "main/c/a", "hash": "0" * 64, "size": 1}

ODD: dict[str, JSON] = {
    "a filter that is a number": {"filter_expression": 5},
    "a filter that is an object": {"filter_expression": {"a": []}},
    "a filter that is false": {"filter_expression": False},
    "a filter that is null": {"filter_expression": None},
    "an attachment that is null": {"attachment": None},
    "an attachment that is a string": {"attachment": "a"},
    "an attachment that is a list": {"attachment": [ATTACHMENT]},
    "an attachment without members": {"attachment": {}},
    "an attachment with a negative size": {"attachment": {**ATTACHMENT, "size": -1}},
    "an attachment whose size is a string": {"attachment": {**ATTACHMENT, "size": "1"}},
    "an attachment whose hash is none": {"attachment": {**ATTACHMENT, "hash": "short"}},
    "an attachment at an absolute location": {"attachment": {**ATTACHMENT, "location": "https://elsewhere.invalid/a"}},
    "an attachment at a climbing location": {"attachment": {**ATTACHMENT, "location": "../../../etc/passwd"}},
    "deleted that is false": {"deleted": False},
    "deleted that is a number": {"deleted": 1},
    "a schema and a number of its own": {"schema": 1, "id_": 2},
}


def test_unusual_but_valid_records_are_read_unchanged(v2: V2Source, hosts: Hosts) -> None:
    for name, fields in ODD.items():
        v2.publish(name, **fields)
    host = hosts.updated(v2)
    values = host.values()
    assert set(values) == set(ODD)
    for name, fields in ODD.items():
        assert {key: values[name][key] for key in fields} == fields, name
    assert host.succeed("snapshot")["verified"] == 1
    assert set(hosts.open(v2, after=host).values()) == set(ODD)


def test_tombstones_for_records_that_do_not_exist_are_ignored(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2)
    unknown = ({"id": "never-was", "deleted": True}, {"id": "nor-this", "deleted": True, "last_modified": 5})
    v2.server.set_fault(CHANGESET, Fault(lie=lambda _, document: adding(*unknown)(document)))
    host.update()
    v2.publish("b", n=1)
    host.update()
    assert v2.last_since() is not None
    assert set(host.values()) == {"a", "b"}
