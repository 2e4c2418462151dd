# SPDX-License-Identifier: Apache-2.0
#
# Conformance cases of bundles, each under its number: what becomes of namespaces that are removed, and of overrides.
# "vN" is a bundle of version N.
"""Remote configurations: namespaces."""

from __future__ import annotations

import pytest

from EndToEnd.bundle_hosts import SHORT, BundleHosts, StaticBundleHosts, active, namespaces, told
from EndToEnd.hosts import ON_NGINX_TOO
from Servers.bundle_server import SCHEMA, element, removal

USER = "/subjectConfiguration/userId"


@ON_NGINX_TOO
def test_s22_a_namespace_is_removed_if_its_element_in_a_fetched_bundle_lacks_the_section_network_configuration(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(1, element("A")).open()
    assert told(host) == ("updated", "fetched", 1)
    bundles.server.publish(2, removal("A"))
    host.refresh()
    event = host.event()
    assert (event["outcome"], event["origin"]) == ("updated", "fetched")
    assert [(change["kind"], change["key"]) for change in event["changes"]] == [("deleted", "A")]
    assert namespaces(host) == active(host) == []


@ON_NGINX_TOO
def test_s23_a_fetched_bundle_can_remove_a_namespace_of_the_default_bundle(bundles: StaticBundleHosts) -> None:
    host = bundles.publish(2, removal("A")).open(default=[element("A")])
    assert [told(host), told(host)] == [("opened", "default", 0), ("updated", "fetched", 2)]
    assert active(host) == []
    bundles.server.stop()
    later = bundles.open(default=[element("A")])
    assert told(later) == ("opened", "cached", 2)
    assert active(later) == []


@ON_NGINX_TOO
def test_s25_after_an_empty_bundle_is_fetched_the_default_namespaces_can_be_read_until_the_next_start(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(2).open(default=[element("A")])
    assert told(host) == ("opened", "default", 0)
    event = host.event()
    assert (event["outcome"], event["version"], event["changes"]) == ("updated", 2, [])
    assert (namespaces(host), active(host)) == ([], ["A"])
    assert host.succeed("namespaces")["value"][0]["origin"] == "default"
    bundles.server.stop()
    later = bundles.open(default=[element("A")])
    assert told(later) == ("opened", "cached", 2)
    assert active(later) == []


@ON_NGINX_TOO
def test_s28_a_property_that_a_new_bundle_omits_has_the_value_of_the_default_bundle(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2, element("A", subject={"userId": "x"}))
    host = bundles.opened("opened", "updated", default=[element("A", subject={"userId": "u1"})])
    assert host.get_str("A", USER) == "x"
    bundles.server.publish(3, element("A"))
    host.refresh()
    assert host.get_str("A", USER) == "u1"


def test_s29_an_override_survives_a_refresh(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    host.succeed("override", "A", USER, "r")
    bundles.server.publish(2, element("A", subject={"userId": "z"}))
    host.refresh()
    assert host.get_str("A", USER) == "r"
    host.succeed("clear_override", "A", USER)
    assert host.get_str("A", USER) == "z"


def test_s31_an_override_with_null_survives_a_refresh(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A", subject={"userId": "x"}))
    host = bundles.opened("opened", "updated", default=[element("A", subject={"userId": "d"})])
    host.succeed("override", "A", USER, None)
    assert host.get_str("A", USER) == "none"
    bundles.server.publish(2, element("A", subject={"userId": "y"}))
    host.refresh()
    assert host.get_str("A", USER) == "none"
    assert host.value("A")["subjectConfiguration"] == {"userId": None}


@pytest.mark.parametrize("persist", [False, True])
def test_s32_a_bundle_that_removes_a_namespace_deletes_its_overrides(bundles: BundleHosts, persist: bool) -> None:
    host = bundles.publish(1, element("A")).opened("updated", persist_overrides=persist)
    host.succeed("override", "A", USER, "r")
    bundles.server.publish(2, removal("A"))
    host.refresh()
    assert active(host) == []
    bundles.server.publish(3, element("A"))
    host.refresh()
    assert host.get_str("A", USER) == "none"
    assert bundles.open(persist_overrides=persist, after=host).get_str("A", USER) == "none"


def test_s32_a_bundle_deletes_overrides_of_removed_namespaces_when_it_takes_effect_at_the_next_start(
    bundles: BundleHosts,
) -> None:
    host = bundles.publish(1, element("A"), element("B")).opened("updated", persist_overrides=True)
    for namespace in "AB":
        host.succeed("override", namespace, USER, "r")
    host.succeed("freeze")
    bundles.server.publish(2, removal("A"), element("B"))
    assert host.refresh()["outcome"] == "staged"
    assert host.get_str("A", USER) == "r"
    host.end()
    bundles.server.publish(3, element("A"), element("B"))
    for _ in range(2):
        host = bundles.open(persist_overrides=True, fetch_at_open=False)
        assert (active(host), host.get_str("B", USER)) == (["B"], "r")
        host.end()
    host = bundles.open(persist_overrides=True)
    host.refresh()
    assert (host.get_str("A", USER), host.get_str("B", USER)) == ("none", "r")


@ON_NGINX_TOO
def test_s47_a_namespace_with_null_sections_is_removed(bundles: StaticBundleHosts) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    sections = ("network", "tracker", "subject", "session", "emitter")
    nulls = {"namespace": "A", **{f"{name}Configuration": None for name in sections}}
    bundles.server.publish(2, nulls, schema=SCHEMA.replace("1-0-0", "1-0-1"))
    assert host.refresh()["outcome"] == "updated"
    assert active(host) == []
    assert host.log(SHORT) == []
