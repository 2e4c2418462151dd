# SPDX-License-Identifier: Apache-2.0
#
# What works, against the real server: publish, edit, delete, re-sign, and a server that
# goes and comes back. Kinto signs; nothing here is of our own making but the client.
"""The story of a collection on Kinto."""

from __future__ import annotations

from EndToEnd.hosts import Hosts, KintoSource, without_metadata

RECORD = {"text": "é😀 \u2028", "on": True, "n": 7, "d": 1.5, "list": [1, None], "deep": {"a": {"b": "c"}}}


def test_published_records_can_be_read_by_key_and_json_pointer(kinto: KintoSource, hosts: Hosts) -> None:
    timestamp = kinto.publish("banner", **RECORD)
    host = hosts.updated(kinto)
    assert without_metadata(host.values()) == {"banner": RECORD}
    assert (host.origin(), host.version()) == ("fetched", timestamp)
    assert host.succeed("snapshot")["verified"] == 1
    assert host.run("get_bool", "banner", "/on", 0)["value"] == 1
    assert host.get_int("banner", "/n", 0) == 7
    assert host.run("get_float", "banner", "/d", 0)["value"] == 1.5
    assert host.get_str("banner", "/deep/a/b", "x") == "c"
    assert host.get_str("absent", None, "x") == "x"


def test_a_fetched_collection_without_records_is_distinguished_from_a_source_without_data(
    kinto: KintoSource, hosts: Hosts
) -> None:
    host = hosts.open(kinto)
    assert host.origin() == "none"
    host.update()
    assert (host.origin(), host.values()) == ("fetched", {})


def test_edits_are_reported_by_events_with_the_old_and_new_values(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.put("a", n=1)
    kinto.publish("b", n=1)
    host = hosts.updated(kinto)
    host.succeed("subscribe")
    kinto.put("a", n=2)
    kinto.put("c", n=3)
    kinto.delete("b")
    timestamp = kinto.publish()
    host.update()
    event = host.event()
    assert (event["cause"], event["outcome"], event["version"]) == ("refreshed", "updated", timestamp)
    assert [(one["kind"], one["key"]) for one in event["changes"]] == [
        ("updated", "a"),
        ("deleted", "b"),
        ("created", "c"),
    ]
    assert (event["changes"][0]["old"]["n"], event["changes"][0]["new"]["n"]) == (1, 2)
    assert set(host.values()) == {"a", "c"}


def test_a_collection_that_was_signed_again_without_a_change_is_reported_as_unchanged(
    kinto: KintoSource, hosts: Hosts
) -> None:
    timestamp = kinto.publish("a", n=1)
    host = hosts.updated(kinto)
    kinto.re_sign()
    assert host.refresh()["outcome"] == "unchanged"
    assert host.version() == timestamp


def test_a_new_process_reads_the_cache_while_the_server_is_down(own_kinto: KintoSource, hosts: Hosts) -> None:
    timestamp = own_kinto.publish("a", n=1)
    hosts.fetch(own_kinto)
    own_kinto.server.stop()
    second = hosts.open(own_kinto)
    assert (second.origin(), second.version()) == ("cached", timestamp)
    assert second.values()["a"]["n"] == 1
    assert second.refresh()["status"] == "REMORA_ERR_NETWORK"
    assert second.values()["a"]["n"] == 1


def test_a_client_recovers_after_its_server_lost_its_data(own_kinto: KintoSource, hosts: Hosts) -> None:
    own_kinto.put("a", n=1)
    own_kinto.publish("lost", n=1)
    host = hosts.updated(own_kinto)
    own_kinto.server.stop()
    assert host.refresh()["outcome"] == "failed"
    own_kinto.server.start()
    own_kinto.server.admin.create_collection(own_kinto.collection)
    own_kinto.publish("a", n=2)
    host.update()
    assert without_metadata(host.values()) == {"a": {"n": 2}}


def test_no_data_is_lost_while_the_server_of_the_certificate_chain_is_down(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.publish("a", n=1)
    kinto.server.files.failing_status = 500
    host = hosts.open(kinto)
    refused = host.refresh()
    assert (refused["status"], refused["http_status"]) == ("REMORA_ERR_HTTP", 500)
    assert host.origin() == "none"
    kinto.server.files.failing_status = None
    host.update()
    kinto.publish("a", n=2)
    kinto.server.files.failing_status = 500
    host.refresh()
    assert host.values()["a"]["n"] in (1, 2)
    kinto.server.files.failing_status = None
    host.refresh()
    assert host.values()["a"]["n"] == 2


def test_the_same_collection_in_another_bucket_has_a_separate_cache(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.publish("a", n=1)
    hosts.fetch(kinto)
    preview = hosts.open(kinto, bucket="main-preview")
    assert preview.origin() == "none"
    preview.update()
    assert preview.values()["a"]["n"] == 1


def test_a_refresh_of_a_collection_that_does_not_exist_is_an_http_error(kinto: KintoSource, hosts: Hosts) -> None:
    host = hosts.open(kinto, name="no-such-collection")
    answer = host.refresh()
    assert (answer["status"], answer["http_status"]) == ("REMORA_ERR_HTTP", 401)
