# SPDX-License-Identifier: Apache-2.0
#
# Filters on records of the real server: published once, shown by the context of the host.
"""What filters show and hide."""

from __future__ import annotations

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, KintoSource, without_metadata


def set_context(host: Driver, **members: object) -> None:
    host.succeed("set_context", members)


def test_a_record_appears_when_the_context_changes_so_that_its_filter_matches(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.put("all", n=1)
    kinto.put("newer", n=2, filter_expression='env.version|versionCompare("128.0a1") > 0')
    kinto.put("german", n=3, filter_expression="env.locale == 'de' && env.os.name != 'iOS'")
    timestamp = kinto.publish()
    host = hosts.open(kinto)
    set_context(host, app_version="127.0")
    host.update()
    assert set(host.values()) == {"all"}
    host.succeed("subscribe")
    set_context(host, app_version="129.0.0", locale="de", os="Linux")
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
    kinto.put("hidden", n=1, filter_expression="env.country == 'AT'")
    kinto.publish()
    first = hosts.updated(kinto)
    assert first.values() == {}
    assert set(first.succeed("snapshot", unfiltered=True)["json"]) == {"hidden"}
    kinto.put("new", n=2)
    kinto.publish()
    first.update()
    second = hosts.open(kinto, after=first)
    assert without_metadata(second.values()) == {"new": {"n": 2}}
    set_context(second, country="AT")
    assert set(second.values()) == {"hidden", "new"}
    assert second.succeed("snapshot")["verified"] == 1


def test_an_update_of_the_filter_of_a_record_can_show_or_hide_the_record(kinto: KintoSource, hosts: Hosts) -> None:
    kinto.put("a", filter_expression="env.channel == 'beta'")
    kinto.publish()
    host = hosts.open(kinto)
    set_context(host, channel="release")
    host.update()
    host.succeed("subscribe")
    kinto.put("a", filter_expression="env.channel == 'release'")
    kinto.publish()
    host.update()
    assert [(one["kind"], one["key"]) for one in host.event()["changes"]] == [("created", "a")]
    kinto.put("a", filter_expression="this is ( no expression")
    kinto.publish()
    host.update()
    assert [(one["kind"], one["key"]) for one in host.event()["changes"]] == [("deleted", "a")]
    assert host.succeed("info")["filter_failures"] == 1


def test_a_process_applies_its_own_context_to_data_that_another_process_fetched(
    kinto: KintoSource, hosts: Hosts
) -> None:
    kinto.put("german", filter_expression="env.locale == 'de'")
    kinto.put("french", filter_expression="env.locale == 'fr'")
    kinto.publish()
    fetcher, adopter = hosts.open(kinto), hosts.open(kinto)
    set_context(fetcher, locale="de")
    set_context(adopter, locale="fr")
    adopter.succeed("subscribe")
    fetcher.update()
    assert set(fetcher.values()) == {"german"}
    event = adopter.event()
    assert (event["cause"], [one["key"] for one in event["changes"]]) == ("adopted", ["french"])
    assert set(adopter.values()) == {"french"}
