# SPDX-License-Identifier: Apache-2.0
#
# Filters on records of the real server: published once, shown by the context of the host.
"""What filters show and hide."""

from __future__ import annotations

from EndToEnd.hosts import Hosts, KintoSource, without_metadata


def test_a_record_appears_when_the_context_changes_so_that_its_filter_matches(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.put("all", n=1)
    kinto.put("newer", n=2, filter_expression='env.version|versionCompare("128.0a1") > 0')
    timestamp = kinto.publish("german", n=3, filter_expression="env.locale == 'de' && env.os.name != 'iOS'")
    host = hosts.open(kinto)
    host.succeed("set_context", {"app_version": "127.0"})
    host.update()
    assert set(host.values()) == {"all"}
    host.succeed("subscribe")
    host.succeed("set_context", {"app_version": "129.0.0", "locale": "de", "os": "Linux"})
    event = host.event()
    assert (event["cause"], event["outcome"], event["version"]) == ("context", "none", timestamp)
    assert [(one["kind"], one["key"], one["new"]["n"]) for one in event["changes"]] == [
        ("created", "german", 3),
        ("created", "newer", 2),
    ]
    assert host.get_int("german", "/n", 0) == 3
    host.succeed("set_context", None)
    assert [(one["kind"], one["key"]) for one in host.event()["changes"]] == [
        ("deleted", "german"),
        ("deleted", "newer"),
    ]
    assert set(host.values()) == {"all"}


def test_records_that_a_filter_hides_are_still_verified_stored_and_updated(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.publish("hidden", n=1, filter_expression="env.country == 'AT'")
    first = hosts.updated(kinto)
    assert first.values() == {}
    assert set(first.succeed("snapshot", unfiltered=True)["json"]) == {"hidden"}
    kinto.publish("new", n=2)
    first.update()
    second = hosts.open(kinto, after=first)
    assert without_metadata(second.values()) == {"new": {"n": 2}}
    second.succeed("set_context", {"country": "AT"})
    assert set(second.values()) == {"hidden", "new"}
    assert second.succeed("snapshot")["verified"] == 1


def test_an_update_of_the_filter_of_a_record_can_show_or_hide_the_record(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.publish("a", filter_expression="env.channel == 'beta'")
    host = hosts.open(kinto)
    host.succeed("set_context", {"channel": "release"})
    host.update()
    host.succeed("subscribe")
    kinto.publish("a", filter_expression="env.channel == 'release'")
    host.update()
    assert [(one["kind"], one["key"]) for one in host.event()["changes"]] == [("created", "a")]
    kinto.publish("a", filter_expression="this is ( no expression")
    host.update()
    assert [(one["kind"], one["key"]) for one in host.event()["changes"]] == [("deleted", "a")]
    assert host.succeed("info")["filter_failures"] == 1


def test_a_process_applies_its_own_context_to_data_that_another_process_fetched(
    kinto: KintoSource, hosts: Hosts
) -> None:
    kinto.put("german", filter_expression="env.locale == 'de'")
    kinto.publish("french", filter_expression="env.locale == 'fr'")
    fetcher, adopter = hosts.open(kinto), hosts.open(kinto)
    fetcher.succeed("set_context", {"locale": "de"})
    adopter.succeed("set_context", {"locale": "fr"})
    adopter.succeed("subscribe")
    fetcher.update()
    assert set(fetcher.values()) == {"german"}
    event = adopter.event()
    assert (event["cause"], [one["key"] for one in event["changes"]]) == ("adopted", ["french"])
    assert set(adopter.values()) == {"french"}
