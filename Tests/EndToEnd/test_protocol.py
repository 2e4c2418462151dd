# SPDX-License-Identifier: Apache-2.0
#
# What is asked of a /v2 server and what is made of its answers: diffs, tombstones,
# full answers in place of diffs, conditional requests, and servers that do not sign.
"""The /v2 protocol."""

from __future__ import annotations

import json
from pathlib import Path

from EndToEnd.hosts import Hosts, V2Source, without_metadata

PACKAGED_TIMESTAMP = 1_700_000_000_000


def package(directory: Path, **records: dict[str, object]) -> Path:
    """A file of packaged records."""
    data = [{**fields, "id": key, "last_modified": PACKAGED_TIMESTAMP} for key, fields in records.items()]
    file = directory / "packaged.json"
    file.write_text(json.dumps({"data": data, "timestamp": PACKAGED_TIMESTAMP}))
    return file


def test_the_first_refresh_requests_all_records_and_later_ones_send_the_since_parameter_without_quotes(
    v2: V2Source, hosts: Hosts
) -> None:
    first = v2.publish("a", n=1)
    host = hosts.updated(v2)
    assert v2.last_since() is None
    v2.publish("b", n=2)
    host.update()
    assert v2.last_since() == str(first)
    assert without_metadata(host.values()) == {"a": {"n": 1}, "b": {"n": 2}}
    assert len(v2.requests()) == 2


def test_a_tombstone_without_last_modified_deletes_its_record(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    v2.publish("b", n=1)
    host = hosts.updated(v2)
    v2.content.delete("a")
    host.update()
    assert set(host.values()) == {"b"}
    assert len(v2.requests()) == 2


def test_a_full_response_to_a_request_for_changes_replaces_all_records(
    v2: V2Source, hosts: Hosts, tmp_path: Path
) -> None:
    v2.publish("fresh", n=1)
    host = hosts.open(v2, packaged_file=package(tmp_path, stale={"n": 0}))
    assert (host.origin(), host.version(), set(host.values())) == ("packaged", PACKAGED_TIMESTAMP, {"stale"})
    host.update()
    assert f"_since={PACKAGED_TIMESTAMP}" in v2.requests()[0].target
    assert v2.last_since() is None
    assert set(host.values()) == {"fresh"}
    assert len(v2.requests()) == 2


def test_cached_data_takes_precedence_over_older_packaged_data(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    v2.publish("a", n=1)
    packaged = package(tmp_path, a={"n": 0})
    hosts.fetch(v2, packaged_file=packaged)
    again = hosts.open(v2, packaged_file=packaged)
    assert (again.origin(), again.values()["a"]["n"]) == ("cached", 1)


def test_a_refresh_without_changes_reports_unchanged_and_the_next_request_is_conditional(
    v2: V2Source, hosts: Hosts
) -> None:
    host = hosts.published(v2)
    assert host.refresh()["outcome"] == "unchanged"
    assert host.refresh()["outcome"] == "unchanged"
    assert "if-none-match" in v2.last_request().headers
    assert host.values()["a"]["n"] == 1


def test_a_change_after_a_304_response_is_fetched(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    host.refresh()
    host.refresh()
    v2.publish("a", n=2)
    host.update()
    assert host.values()["a"]["n"] == 2


def test_a_collection_that_was_signed_again_without_a_change_is_reported_as_unchanged(
    v2: V2Source, hosts: Hosts
) -> None:
    timestamp = v2.publish("a", n=1)
    host = hosts.updated(v2)
    v2.content.re_sign()
    assert host.refresh()["outcome"] == "unchanged"
    assert host.version() == timestamp


def test_requests_accept_gzip_and_name_the_application(v2: V2Source, hosts: Hosts) -> None:
    hosts.published(v2)
    headers = v2.last_request().headers
    assert "gzip" in headers["accept-encoding"]
    assert "e2e-host" in headers["user-agent"]


def test_data_of_a_server_without_signatures_is_accepted_if_trust_is_off(unsigned: V2Source, hosts: Hosts) -> None:
    trusting = hosts.updated(unsigned, trust="off")
    assert trusting.succeed("snapshot")["verified"] == 0
    demanding = hosts.open(unsigned, after=trusting)
    assert demanding.origin() == "none"
    assert demanding.refresh()["status"] == "REMORA_ERR_SIGNATURE_MISSING"
    assert demanding.values() == {}


def test_a_subscriber_of_a_key_gets_only_the_events_of_that_key(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    v2.publish("b", n=1)
    host = hosts.updated(v2)
    host.succeed("subscribe", key="a")
    v2.publish("b", n=2)
    host.update()
    timestamp = v2.publish("a", n=2)
    host.update()
    event = host.event()
    assert event["version"] == timestamp
    assert [one["key"] for one in event["changes"]] == ["a"]


def test_the_first_subscriber_is_notified_of_the_cached_data_before_the_fetched_data(
    v2: V2Source, hosts: Hosts
) -> None:
    v2.publish("a", n=1)
    hosts.fetch(v2)
    v2.publish("a", n=2)
    second = hosts.updated(v2, on_event=True)
    assert [(one["cause"], one["origin"]) for one in (second.event(), second.event())] == [
        ("opened", "cached"),
        ("refreshed", "fetched"),
    ]


def test_a_snapshot_can_be_read_unchanged_after_an_update_and_after_the_client_was_closed(
    v2: V2Source, hosts: Hosts
) -> None:
    host = hosts.published(v2)
    host.succeed("hold")
    v2.publish("a", n=2)
    host.update()
    assert host.succeed("held", "a", "/n")["value"] == 1
    host.succeed("close")
    assert host.succeed("held", "a", "/n")["value"] == 1
    assert host.run("refresh", 0)["status"] == "REMORA_ERR_CLOSED"
    assert host.get_int("a", "/n", 9) == 9


def test_await_with_only_if_empty_sends_no_request_if_the_collection_was_fetched_before(
    v2: V2Source, hosts: Hosts
) -> None:
    host = hosts.open(v2)
    host.succeed("wait", only_if_empty=True)
    assert len(v2.requests()) == 1
    host.succeed("wait", only_if_empty=True)
    assert len(v2.requests()) == 1


def test_after_a_reset_the_next_refresh_requests_all_records(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    host.succeed("reset")
    assert (host.origin(), host.values()) == ("none", {})
    host.update()
    assert v2.last_since() is None
    assert host.values()["a"]["n"] == 1
