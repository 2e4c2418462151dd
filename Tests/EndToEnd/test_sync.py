# SPDX-License-Identifier: Apache-2.0
#
# A whole client in step with its server: one question to the monitor, and requests for
# what moved. Against Kinto behind a counting proxy, and against the /v2 server.
"""remora_sync."""

from __future__ import annotations

import itertools
import json

import pytest

from EndToEnd.driver import Driver
from EndToEnd.host import Answer
from EndToEnd.hosts import Hosts, KintoSource, V2Source
from EndToEnd.proxy import Proxy
from Servers import v2_faults
from Servers.v2_server import MONITOR

ASK_MONITOR = "monitor/collections/changes/changeset?_expected=0"

_numbers = itertools.count(1)


def outcomes(answer: Answer) -> dict[str, str]:
    """The outcome of each source, by its name."""
    return {item["source_name"].split("/")[1]: item["outcome"] for item in answer["items"]}


def changeset(name: str, expected: int, since: int | None = None, bucket: str = "main") -> str:
    """The request for a collection on Kinto."""
    end = "" if since is None else f"&_since=%22{since}%22"
    return f"{bucket}/collections/{name}/changeset?_expected={expected}{end}"


class Stage:
    """A host with collections of Kinto, whose requests are counted."""

    def __init__(self, kinto: KintoSource, proxy: Proxy, host: Driver) -> None:
        self._kinto = kinto
        self.proxy = proxy
        self.host = host

    def open(self, **options: object) -> str:
        """Makes a collection with one record and opens it, and gives its name."""
        name = f"sync-{next(_numbers)}"
        self._kinto.server.admin.create_collection(name)
        self.publish(name, n=1)
        self.host.succeed("open", "collection", name, root_sha256=self._kinto.root, **options)
        return name

    def publish(self, name: str, **fields: object) -> int:
        """Publishes a record, and gives the timestamp."""
        self._kinto.server.admin.put_record(name, "a", fields)
        return self._kinto.server.admin.publish(name)

    def sync(self) -> tuple[Answer, list[str]]:
        """Syncs, and gives the report with the requests: the monitor's first, the others sorted."""
        self.proxy.take()
        answer = self.host.run("sync")
        asked = self.proxy.take()
        return answer, asked[:1] + sorted(asked[1:])


@pytest.fixture
def stage(kinto: KintoSource, proxy: Proxy, hosts: Hosts) -> Stage:
    return Stage(kinto, proxy, hosts.setup(server=f"{proxy.origin}/v1"))


def test_a_sync_handles_a_changed_an_unchanged_and_a_failing_collection_independently(stage: Stage) -> None:
    moving, still, failing = stage.open(), stage.open(), stage.open()
    answer, asked = stage.sync()
    assert answer["status"] == "REMORA_OK"
    assert outcomes(answer) == {moving: "updated", still: "updated", failing: "updated"}
    first = stage.host.version()
    assert (asked[0], len(asked)) == (ASK_MONITOR, 4)
    assert changeset(failing, first) in asked

    published = stage.publish(moving, n=2)
    newest = stage.publish(failing, n=2)
    stage.proxy.failing = f"/{failing}/"
    answer, asked = stage.sync()
    assert outcomes(answer) == {moving: "updated", still: "unchanged", failing: "failed"}
    assert (answer["total"], answer["updated"], answer["unchanged"], answer["failed"]) == (3, 1, 1, 1)
    assert (answer["status"], answer["http_status"]) == ("REMORA_ERR_HTTP", 500)
    assert answer["message"].startswith(f"1 of 3 sources failed: main/{failing}: ")
    assert asked[0] == ASK_MONITOR
    assert changeset(failing, newest, first) in asked
    assert [one.split("&")[0] for one in asked[1:] if f"/{moving}/" in one] == [changeset(moving, published)]
    assert not [one for one in asked if f"/{still}/" in one]

    stage.proxy.failing = None
    answer, asked = stage.sync()
    assert outcomes(answer) == {moving: "unchanged", still: "unchanged", failing: "updated"}
    assert asked == [ASK_MONITOR, changeset(failing, newest, first)]
    assert stage.host.values()["a"]["n"] == 2
    answer, asked = stage.sync()
    assert (answer["unchanged"], asked) == (3, [ASK_MONITOR])


def test_after_a_restart_a_sync_does_not_request_an_unchanged_collection(
    stage: Stage, hosts: Hosts, kinto: KintoSource
) -> None:
    name = stage.open()
    stage.sync()
    assert stage.host.end() == 0
    again = hosts.setup(server=f"{stage.proxy.origin}/v1")
    again.succeed("open", "collection", name, root_sha256=kinto.root)
    stage.proxy.take()
    assert outcomes(again.succeed("sync")) == {name: "unchanged"}
    assert stage.proxy.take() == [ASK_MONITOR]


def test_the_preview_bucket_and_the_main_bucket_are_synced_separately(stage: Stage, kinto: KintoSource) -> None:
    name = stage.open()
    stage.host.succeed("open", "collection", name, root_sha256=kinto.root, bucket="main-preview")
    answer, asked = stage.sync()
    assert [(item["source_name"].split("/")[0], item["outcome"]) for item in answer["items"]] == [
        ("main", "updated"),
        ("main-preview", "updated"),
    ]
    assert len(asked) == 3
    answer, asked = stage.sync()
    assert (answer["unchanged"], asked) == (2, [ASK_MONITOR])


def test_a_sync_requests_a_collection_that_is_missing_in_the_servers_list_of_collections(
    stage: Stage, kinto: KintoSource
) -> None:
    name = stage.open()
    stage.host.succeed("open", "collection", "nobody-made-it", root_sha256=kinto.root)
    answer, asked = stage.sync()
    assert outcomes(answer) == {name: "updated", "nobody-made-it": "failed"}
    assert answer["http_status"] == 401
    assert changeset("nobody-made-it", 0) in asked


def test_a_sync_with_a_server_that_is_down_leaves_the_stored_data_unchanged(
    own_kinto: KintoSource, hosts: Hosts
) -> None:
    own_kinto.publish("a", n=1)
    host = hosts.open(own_kinto)
    assert host.succeed("sync")["updated"] == 1
    own_kinto.server.stop()
    answer = host.run("sync")
    assert (answer["status"], answer["failed"]) == ("REMORA_ERR_NETWORK", 1)
    assert host.values()["a"]["n"] == 1


def test_in_protocol_v2_the_requests_of_a_sync_have_unquoted_timestamps_from_the_servers_list_and_the_stored_data(
    v2: V2Source, hosts: Hosts
) -> None:
    first = v2.publish("a", n=1)
    host = hosts.open(v2)
    assert host.succeed("sync")["updated"] == 1
    assert v2.last_request().query == {"_expected": str(first)}
    second = v2.publish("a", n=2)
    assert host.succeed("sync")["updated"] == 1
    assert v2.last_request().query == {"_expected": str(second), "_since": str(first)}
    assert host.values()["a"]["n"] == 2


def test_a_sync_with_an_outdated_list_of_collections_from_a_cache_succeeds(v2: V2Source, hosts: Hosts) -> None:
    first = v2.publish("a", n=1)
    host = hosts.open(v2)
    outdated = {"bucket": "main", "collection": v2.collection, "last_modified": first}
    second = v2.publish("a", n=2)
    host.update()
    v2.server.set_fault(MONITOR, v2_faults.body(json.dumps({"changes": [outdated]})))
    assert host.succeed("sync")["unchanged"] == 1
    assert v2.last_request().query == {"_expected": "0", "_since": str(second)}


def test_a_sync_does_not_request_a_collection_that_was_signed_again_without_a_change(
    v2: V2Source, hosts: Hosts
) -> None:
    host = hosts.published(v2)
    v2.content.re_sign()
    asked, age = len(v2.requests()), host.succeed("info")["checked_at"]
    assert host.succeed("sync")["unchanged"] == 1
    assert len(v2.requests()) == asked
    assert host.succeed("info")["checked_at"] == age


def test_a_sync_requests_no_collection_if_the_servers_list_is_invalid_or_unavailable(
    v2: V2Source, hosts: Hosts
) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2)
    v2.server.set_fault(MONITOR, v2_faults.body("<html>Sign in</html>"), times=1)
    assert host.run("sync")["status"] == "REMORA_ERR_PARSE"
    v2.server.set_fault(MONITOR, v2_faults.status(503, retry_after="60"), times=1)
    assert host.run("sync")["status"] == "REMORA_ERR_HTTP"
    answer = host.run("sync")
    assert answer["status"] == "REMORA_ERR_BACKOFF"
    assert 50 < answer["retry_after"] <= 60
    assert not v2.requests()
    assert host.origin() == "none"


def test_a_sync_of_a_collection_that_does_not_respond_ends_at_its_time_limit(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2)
    v2.server.set_fault("changeset", v2_faults.hang())
    answer = host.run("sync", 0.3)
    assert answer["status"] == "REMORA_ERR_TIMEOUT"
    assert 250 <= answer["elapsed_ms"] < 5000
    v2.server.clear_faults()
    assert host.succeed("sync")["updated"] == 1
