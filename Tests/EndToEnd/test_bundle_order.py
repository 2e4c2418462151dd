# SPDX-License-Identifier: Apache-2.0
#
# Conformance cases of bundles, each under its number: which events come in which order with which state.
# "vN" is a bundle of version N.
"""Remote configurations: order and versions."""

from __future__ import annotations

import threading

from EndToEnd.bundle_hosts import SHORT, BundleHosts, StaticBundleHosts, active, fetch, namespaces, told
from EndToEnd.hosts import ON_NGINX_TOO
from Servers.bundle_server import bundle, element
from Servers.loopback import Request, Response
from Servers.waiting import wait_until

TIMEOUTS = "/sessionConfiguration/foregroundTimeout"
USER = "/subjectConfiguration/userId"


@ON_NGINX_TOO
def test_s01_without_a_cache_and_a_server_the_default_bundle_is_reported_once(bundles: StaticBundleHosts) -> None:
    bundles.server.stop()
    host = bundles.open(default=[element("A")])
    assert told(host) == ("opened", "default", 0)
    assert told(host) == ("failed", "default", 0)
    assert host.is_silent(SHORT)
    assert namespaces(host) == ["A"]
    assert host.succeed("namespaces")["value"][0]["is_default"] == 1


@ON_NGINX_TOO
def test_s02_without_a_cache_or_a_default_bundle_a_404_is_reported_and_no_data_is_delivered(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.open()
    event = host.event()
    assert (event["cause"], event["outcome"], event["origin"]) == ("refreshed", "failed", "none")
    assert event["error"]["http_status"] == 404
    assert host.is_silent(SHORT)
    assert active(host) == []


@ON_NGINX_TOO
def test_s04_subscribers_are_notified_of_the_default_bundle_and_then_of_a_newer_fetched_bundle(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(2, element("A")).open(default=[element("A")], default_version=1)
    assert [told(host), told(host)] == [("opened", "default", 1), ("updated", "fetched", 2)]
    assert host.is_silent(SHORT)


@ON_NGINX_TOO
def test_s05_a_fetched_bundle_with_the_same_version_as_the_default_bundle_is_not_used(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(2, element("A"), element("B")).open(default=[element("A")], default_version=2)
    assert [told(host), told(host)] == [("opened", "default", 2), ("not_newer", "default", 2)]
    assert namespaces(host) == ["A"]
    assert any("its version is still 2" in line for line in host.log(SHORT))


@ON_NGINX_TOO
def test_s07_a_default_bundle_without_a_version_is_replaced_by_a_fetched_bundle_of_version_0(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(0, element("A")).open(default=[element("A")])
    assert [told(host), told(host)] == [("opened", "default", 0), ("updated", "fetched", 0)]


@ON_NGINX_TOO
def test_s08_subscribers_are_notified_of_the_cached_bundle_and_then_of_a_newer_fetched_bundle(
    bundles: StaticBundleHosts,
) -> None:
    fetch(bundles, 1)
    host = bundles.publish(2, element("A")).open()
    assert [told(host), told(host)] == [("opened", "cached", 1), ("updated", "fetched", 2)]
    assert host.is_silent(SHORT)


@ON_NGINX_TOO
def test_s10_a_fetched_bundle_that_is_older_than_the_cached_bundle_is_not_used(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 5)
    host = bundles.publish(4, element("A")).open()
    assert [told(host), told(host)] == [("opened", "cached", 5), ("not_newer", "cached", 5)]
    assert host.is_silent(SHORT)


@ON_NGINX_TOO
def test_s11_a_cached_bundle_takes_precedence_over_the_default_bundle(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 1)
    bundles.server.stop()
    host = bundles.open(default=[element("D")], default_version=0)
    assert [told(host), told(host)] == [("opened", "cached", 1), ("failed", "cached", 1)]
    assert (host.is_silent(SHORT), namespaces(host)) == (True, ["A"])


@ON_NGINX_TOO
def test_s13_a_fetched_bundle_is_read_from_the_cache_at_the_next_start(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 1)
    fetch(bundles, 2, element("A", session={"foregroundTimeout": 7}))
    bundles.server.stop()
    host = bundles.open()
    assert told(host) == ("opened", "cached", 2)
    assert host.get_int("A", TIMEOUTS) == 7


def test_s49_subscribers_are_never_notified_of_an_older_bundle_after_a_newer_one(bundles: BundleHosts) -> None:
    def respond(request: Request) -> Response:
        if len(bundles.server.requests) > 1:
            return Response(body=bundle(4, element("B")))
        slow.wait(20)
        return Response(body=bundle(3, element("A")))

    slow = threading.Event()
    bundles.server.answer(respond)
    host = bundles.open(fetch_at_open=False)
    host.succeed("begin_refresh", force=True)
    wait_until(lambda: bundles.server.requests, "the slow request")
    host.succeed("begin_refresh", force=True)
    slow.set()
    for _ in range(2):
        host.completion()
    # Updates that a subscriber has not read yet become one.
    assert told(host)[2] == 4 or told(host)[2] == 4
    assert host.is_silent(SHORT)
    assert (host.version(), namespaces(host)) == (4, ["B"])


def test_s49_a_refresh_does_not_use_a_response_that_is_older_than_the_current_version(bundles: BundleHosts) -> None:
    answers = [bundle(3, element("A")), bundle(4, element("A")), bundle(3, element("B"))]
    bundles.server.answer(lambda _: Response(body=answers.pop(0)))
    host = bundles.open(fetch_at_open=False)
    ends = []
    for _ in range(3):
        host.succeed("begin_refresh", force=True)
        ends.append(host.completion()["outcome"])
    assert ends == ["updated", "updated", "not_newer"]
    assert (host.version(), active(host)) == (4, ["A"])


def test_s50_a_callback_may_read_refresh_and_unsubscribe(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A", session={"foregroundTimeout": 5})).open(fetch_at_open=False)
    host.succeed("subscribe", busy=True)
    host.refresh()
    events = [host.event(), host.event()]
    (busy,) = [event for event in events if "read" in event]
    assert busy["read"] == 5
    assert [one["name"] for one in busy["namespaces"]] == ["A"]
    assert host.completion()["outcome"] == "unchanged"


@ON_NGINX_TOO
def test_s52_default_values_that_the_program_changed_are_merged_with_a_cached_bundle(
    bundles: StaticBundleHosts,
) -> None:
    host = bundles.publish(1, element("A", tracker={"appId": "remote"})).opened(
        "opened", "updated", default=[element("A", subject={"userId": "d1"}, tracker={"appId": "d1"})]
    )
    assert host.get_str("A", USER) == "d1"
    host.end()
    bundles.server.stop()
    later = bundles.open(default=[element("A", subject={"userId": "d2"}, tracker={"appId": "d2"})])
    assert told(later) == ("opened", "cached", 1)
    assert later.get_str("A", USER) == "d2"
    assert later.get_str("A", "/trackerConfiguration/appId") == "remote"
