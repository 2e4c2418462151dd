# SPDX-License-Identifier: Apache-2.0
#
# The conformance cases of bundles, each under its number: which events come in which order with which state, and what
# a namespace then reads as. "vN" is a bundle of version N.
"""Remote configurations: order, versions and documents."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from EndToEnd.bundle_hosts import (
    ON_NGINX_TOO,
    BundleHosts,
    StaticBundleHosts,
    active,
    namespaces,
    nothing_is_told,
    number,
    text,
    told,
    value,
    warnings,
)
from Servers.bundle_server import SCHEMA, bundle, element, removal
from Servers.loopback import Request, Response
from Servers.waiting import wait_until

TIMEOUTS = "/sessionConfiguration/foregroundTimeout"
USER = "/subjectConfiguration/userId"


@ON_NGINX_TOO
def test_s01_without_cache_and_server_the_default_is_told_once(bundles: StaticBundleHosts) -> None:
    bundles.server.stop()
    host = bundles.open(defaults=[element("A")])
    assert told(host) == ("opened", "default", 0)
    assert told(host) == ("failed", "default", 0)
    assert nothing_is_told(host)
    assert namespaces(host) == ["A"]
    assert host.succeed("namespaces")["namespaces"][0]["is_default"] == 1


@ON_NGINX_TOO
def test_s02_without_cache_and_defaults_a_404_is_an_outcome_and_no_delivery(bundles: StaticBundleHosts) -> None:
    host = bundles.open()
    event = host.event()
    assert (event["cause"], event["outcome"], event["origin"]) == ("refreshed", "failed", "none")
    assert event["error"]["http_status"] == 404
    assert nothing_is_told(host)
    assert active(host) == []


@ON_NGINX_TOO
def test_s04_a_newer_bundle_follows_the_default(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2, element("A"))
    host = bundles.open(defaults=[element("A")], default_version=1)
    assert [told(host), told(host)] == [("opened", "default", 1), ("updated", "fetched", 2)]
    assert nothing_is_told(host)


@ON_NGINX_TOO
def test_s05_a_bundle_of_the_defaults_version_is_not_used(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2, element("A"), element("B"))
    host = bundles.open(defaults=[element("A")], default_version=2)
    assert [told(host), told(host)] == [("opened", "default", 2), ("not_newer", "default", 2)]
    assert namespaces(host) == ["A"]
    assert any("not raised" in line for line in warnings(host))


@ON_NGINX_TOO
def test_s07_a_default_without_version_gives_way_to_any(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(0, element("A"))
    host = bundles.open(defaults=[element("A")])
    assert [told(host), told(host)] == [("opened", "default", 0), ("updated", "fetched", 0)]


@ON_NGINX_TOO
def test_s08_a_newer_bundle_follows_the_cached_one(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 1)
    bundles.server.publish(2, element("A"))
    host = bundles.open()
    assert [told(host), told(host)] == [("opened", "cached", 1), ("updated", "fetched", 2)]
    assert nothing_is_told(host)


@ON_NGINX_TOO
def test_s10_an_older_bundle_than_the_cached_one_is_not_used(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 5)
    bundles.server.publish(4, element("A"))
    host = bundles.open()
    assert [told(host), told(host)] == [("opened", "cached", 5), ("not_newer", "cached", 5)]
    assert nothing_is_told(host)


@ON_NGINX_TOO
def test_s11_a_cached_bundle_goes_before_the_default(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 1)
    bundles.server.stop()
    host = bundles.open(defaults=[element("D")], default_version=0)
    assert [told(host), told(host)] == [("opened", "cached", 1), ("failed", "cached", 1)]
    assert (nothing_is_told(host), namespaces(host)) == (True, ["A"])


@ON_NGINX_TOO
def test_s13_what_was_fetched_is_cached_at_the_next_start(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 1)
    fetch(bundles, 2, element("A", session={"foregroundTimeout": 7}))
    bundles.server.stop()
    host = bundles.open()
    assert told(host) == ("opened", "cached", 2)
    assert number(host, "A", TIMEOUTS) == 7


@ON_NGINX_TOO
@pytest.mark.parametrize("version", ["1-0-1", "1-1-0", "1-99-3"])
def test_s14_every_schema_of_the_model_is_accepted(bundles: StaticBundleHosts, version: str) -> None:
    bundles.server.publish(1, element("A"), schema=SCHEMA.replace("1-0-0", version))
    assert told(bundles.open()) == ("updated", "fetched", 1)


@ON_NGINX_TOO
@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA.replace("1-0-0", "10-0-0"),
        SCHEMA.replace("1-0-0", "2-0-0"),
        SCHEMA.replace("1-0-0", "1-"),
        SCHEMA.replace("1-0-0", "1-0"),
        SCHEMA.replace("1-0-0", "1-0-x"),
        SCHEMA.replace("com.snowplowanalytics.mobile", "com.example"),
        SCHEMA.replace("http://", "iglu:"),
        SCHEMA.replace("http://", "HTTP://"),
    ],
)
def test_s16_another_schema_is_refused(bundles: StaticBundleHosts, schema: str) -> None:
    bundles.server.publish(1, element("A"), schema=schema)
    host = bundles.open()
    event = host.event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert "$schema" in event["error"]["message"]
    assert active(host) == []


@ON_NGINX_TOO
def test_s16_another_vendor_is_accepted_where_the_host_says_so(bundles: StaticBundleHosts) -> None:
    other = "schemas.example/config/2"
    bundles.server.publish(1, element("A"), schema=f"https://{other}-4-0")
    assert told(bundles.open(schema=other)) == ("updated", "fetched", 1)
    bundles.server.publish(2, element("A"))
    assert told(bundles.open(schema=other))[0] == "opened"


@ON_NGINX_TOO
def test_s17_a_schema_by_https_is_accepted(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A"), schema=SCHEMA.replace("http:", "https:"))
    assert told(bundles.open()) == ("updated", "fetched", 1)


@ON_NGINX_TOO
@pytest.mark.parametrize("name", ["$schema", "configurationVersion", "configurationBundle"])
def test_s19_a_document_that_lacks_a_part_is_refused(bundles: StaticBundleHosts, name: str) -> None:
    bundles.server.say(bundle(1, element("A")).replace(f'"{name}"'.encode(), b'"other"'))
    event = bundles.open().event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert name in event["error"]["message"]


@ON_NGINX_TOO
@pytest.mark.parametrize("version", ["12", 1.5, True, None, [1]])
def test_s20_a_version_that_is_no_integer_is_refused(bundles: StaticBundleHosts, version: object) -> None:
    bundles.server.publish(version, element("A"))
    event = bundles.open().event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert "configurationVersion" in event["error"]["message"]


@ON_NGINX_TOO
def test_s22_an_element_without_network_removes_its_namespace(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A"))
    host = bundles.open()
    assert told(host) == ("updated", "fetched", 1)
    bundles.server.publish(2, removal("A"))
    host.refresh()
    event = host.event()
    assert (event["outcome"], event["origin"]) == ("updated", "fetched")
    assert [(change["kind"], change["key"]) for change in event["changes"]] == [("deleted", "A")]
    assert namespaces(host) == active(host) == []


@ON_NGINX_TOO
def test_s23_a_namespace_of_the_default_is_removed_too(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2, removal("A"))
    host = bundles.open(defaults=[element("A")])
    assert [told(host), told(host)] == [("opened", "default", 0), ("updated", "fetched", 2)]
    assert active(host) == []
    bundles.server.stop()
    later = bundles.open(defaults=[element("A")])
    assert told(later) == ("opened", "cached", 2)
    assert active(later) == []


@ON_NGINX_TOO
def test_s25_an_empty_bundle_leaves_the_default_live_until_the_next_start(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2)
    host = bundles.open(defaults=[element("A")])
    assert told(host) == ("opened", "default", 0)
    event = host.event()
    assert (event["outcome"], event["version"], event["changes"]) == ("updated", 2, [])
    assert (namespaces(host), active(host)) == ([], ["A"])
    assert host.succeed("namespaces")["namespaces"][0]["origin"] == "default"
    bundles.server.stop()
    later = bundles.open(defaults=[element("A")])
    assert told(later) == ("opened", "cached", 2)
    assert active(later) == []


@ON_NGINX_TOO
def test_s26_an_element_without_namespace_is_skipped(bundles: StaticBundleHosts) -> None:
    nameless = {"networkConfiguration": {"endpoint": "https://x.example"}}
    bundles.server.publish(2, element("B"), nameless, 5, {"namespace": 7}, element("A"))
    host = bundles.open()
    assert told(host) == ("updated", "fetched", 2)
    assert namespaces(host) == ["B", "A"]
    said = warnings(host)
    assert [any(f"/configurationBundle/{index} " in line for line in said) for index in range(5)] == [
        False, True, True, True, False,
    ]  # fmt: skip


@ON_NGINX_TOO
def test_s28_a_property_that_is_dropped_falls_back_to_the_default(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(2, element("A", subject={"userId": "x"}))
    host = bundles.open(defaults=[element("A", subject={"userId": "u1"})])
    assert [told(host)[0], told(host)[0]] == ["opened", "updated"]
    assert text(host, "A", USER) == "x"
    bundles.server.publish(3, element("A"))
    host.refresh()
    assert text(host, "A", USER) == "u1"


def test_s29_a_value_of_the_host_survives_a_refresh(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A"))
    host = bundles.open()
    assert told(host)[0] == "updated"
    host.succeed("override", "A", USER, '"r"')
    bundles.server.publish(2, element("A", subject={"userId": "z"}))
    host.refresh()
    assert text(host, "A", USER) == "r"
    host.succeed("override", "A", USER)
    assert text(host, "A", USER) == "z"


def test_s31_a_null_of_the_host_survives_a_refresh(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A", subject={"userId": "x"}))
    host = bundles.open(defaults=[element("A", subject={"userId": "d"})])
    assert [told(host)[0], told(host)[0]] == ["opened", "updated"]
    host.succeed("override", "A", USER, "null")
    assert text(host, "A", USER) == "none"
    bundles.server.publish(2, element("A", subject={"userId": "y"}))
    host.refresh()
    assert text(host, "A", USER) == "none"
    assert value(host, "A")["subjectConfiguration"] == {"userId": None}


@pytest.mark.parametrize("persist", [None, 1])
def test_s32_a_removal_ends_the_values_of_the_host(bundles: BundleHosts, persist: int | None) -> None:
    bundles.server.publish(1, element("A"))
    host = bundles.open(persist=persist)
    assert told(host)[0] == "updated"
    host.succeed("override", "A", USER, '"r"')
    bundles.server.publish(2, removal("A"))
    host.refresh()
    assert active(host) == []
    bundles.server.publish(3, element("A"))
    host.refresh()
    assert text(host, "A", USER) == "none"
    host.end()
    assert text(bundles.open(persist=persist), "A", USER) == "none"


def test_s32_a_removal_ends_them_also_when_it_waited_for_the_next_start(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A"), element("B"))
    host = bundles.open(persist=1)
    assert told(host)[0] == "updated"
    for namespace in "AB":
        host.succeed("override", namespace, USER, '"r"')
    host.succeed("stop-listening")
    bundles.server.publish(2, removal("A"), element("B"))
    assert host.refresh()["outcome"] == "staged"
    assert text(host, "A", USER) == "r"
    host.end()
    bundles.server.publish(3, element("A"), element("B"))
    for _ in range(2):
        host = bundles.open(persist=1, fetch="no")
        assert (active(host), text(host, "B", USER)) == (["B"], "r")
        host.end()
    host = bundles.open(persist=1)
    host.refresh()
    assert (text(host, "A", USER), text(host, "B", USER)) == ("none", "r")


def test_s34_a_refresh_without_a_client_is_an_error(bundles: BundleHosts) -> None:
    assert bundles.setup().refresh()["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    host = bundles.open(fetch="no")
    host.succeed("close")
    assert host.refresh()["status"] == "REMORA_ERR_CLOSED"
    assert nothing_is_told(host)
    assert bundles.server.requests == []


@ON_NGINX_TOO
def test_s35_the_cache_of_another_url_is_not_used(bundles: StaticBundleHosts) -> None:
    fetch(bundles, 2)
    bundles.server.publish(1, element("B"), path="/other.json")
    host = bundles.open(url=bundles.server.url("/other.json"))
    assert told(host) == ("updated", "fetched", 1)
    assert active(host) == ["B"]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda image: image[: len(image) // 2],
    "a byte is missing": lambda image: image[:-1],
    "a bit is another": lambda image: image[:-1] + bytes([image[-1] ^ 1]),
    "random": lambda image: random.Random(37).randbytes(len(image)),
    "another format": lambda _: bundle(2, element("A")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_s37_a_damaged_cache_gives_way_to_the_default(bundles: BundleHosts, damage: str) -> None:
    fetch(bundles, 2)
    (image,) = images(bundles)
    image.write_bytes(DAMAGES[damage](image.read_bytes()))
    bundles.server.stop()
    host = bundles.open(defaults=[element("D")])
    event = host.event()
    assert (event["cause"], event["origin"]) == ("opened", "default")
    assert event["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
    assert told(host)[0] == "failed"
    bundles.server.start()
    bundles.server.publish(2, element("A"))
    assert host.refresh()["outcome"] == "updated"
    assert namespaces(host) == ["A"]


@pytest.mark.parametrize("disk", ["full_disk", "read_only_directory"])
def test_s38_a_disk_that_takes_nothing_costs_the_cache_and_not_the_bundle(
    request: pytest.FixtureRequest, bundles: BundleHosts, disk: str
) -> None:
    bundles.server.publish(2, element("A"))
    host = bundles.open(storage=request.getfixturevalue(disk))
    event = host.event()
    assert (event["outcome"], event["origin"]) == ("updated", "fetched")
    assert event["storage_error"]["status"] == "REMORA_ERR_STORAGE"
    assert namespaces(host) == ["A"]
    bundles.server.publish(3, element("B"))
    host.update()
    assert namespaces(host) == ["B"]


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_s40_a_url_without_scheme_gets_https(bundles: BundleHosts, address: str) -> None:
    host = bundles.open(url=bundles.server.url().replace("http://127.0.0.1", address))
    assert host.event()["error"]["status"] == "REMORA_ERR_TLS"
    assert bundles.server.requests == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_s41_the_method_is_that_of_the_options(bundles: BundleHosts, method: str) -> None:
    bundles.server.publish(1, element("A"))
    assert told(bundles.open(method=method)) == ("updated", "fetched", 1)
    (request,) = bundles.server.requests
    assert (request.method, request.body) == (method.upper(), b"")
    assert request.headers.get("content-length") == ("0" if method == "post" else None)
    assert "content-type" not in request.headers


@ON_NGINX_TOO
def test_s43_a_field_of_a_wrong_type_is_ignored_with_a_warning(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A", tracker={"sessionContext": "yes", "appId": "a"}))
    host = bundles.open(defaults=[element("A", tracker={"sessionContext": False})])
    assert [told(host)[0], told(host)[0]] == ["opened", "updated"]
    assert value(host, "A")["trackerConfiguration"] == {"appId": "a", "sessionContext": False}
    assert any("/configurationBundle/0/trackerConfiguration/sessionContext" in line for line in warnings(host))


@ON_NGINX_TOO
def test_s44_timeouts_are_inherited_one_by_one(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A", session={"foregroundTimeout": 60}))
    host = bundles.open(defaults=[element("A", session={"foregroundTimeout": 30, "backgroundTimeout": 900})])
    assert [told(host)[0], told(host)[0]] == ["opened", "updated"]
    assert value(host, "A")["sessionConfiguration"] == {"foregroundTimeout": 60, "backgroundTimeout": 900}


@ON_NGINX_TOO
def test_s46_entries_of_the_retry_map_are_judged_one_by_one(bundles: StaticBundleHosts) -> None:
    retries = {"500": True, "x": True, "401": 1}
    bundles.server.publish(1, element("A", emitter={"customRetryForStatusCodes": retries}))
    host = bundles.open()
    assert told(host)[0] == "updated"
    assert value(host, "A")["emitterConfiguration"] == {"customRetryForStatusCodes": {"500": True}}
    place = "/configurationBundle/0/emitterConfiguration/customRetryForStatusCodes"
    said = warnings(host)
    assert all(any(f"{place}/{name} " in line for line in said) for name in ("x", "401"))


@ON_NGINX_TOO
def test_s47_sections_of_null_remove_a_live_namespace(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A"))
    host = bundles.open()
    assert told(host)[0] == "updated"
    sections = ("network", "tracker", "subject", "session", "emitter")
    nulls = {"namespace": "A", **{f"{name}Configuration": None for name in sections}}
    bundles.server.publish(2, nulls, schema=SCHEMA.replace("1-0-0", "1-0-1"))
    assert host.refresh()["outcome"] == "updated"
    assert active(host) == []
    assert warnings(host) == []


def test_s49_an_older_bundle_never_follows_a_newer_one(bundles: BundleHosts) -> None:
    def respond(request: Request) -> Response:
        if len(bundles.server.requests) > 1:
            return Response(body=bundle(4, element("B")))
        slow.wait(20)
        return Response(body=bundle(3, element("A")))

    slow = threading.Event()
    bundles.server.answer(respond)
    host = bundles.open(fetch="no")
    host.succeed("refresh-async", "force")
    wait_until(lambda: bundles.server.requests, "the slow request")
    host.succeed("refresh-async", "force")
    slow.set()
    for _ in range(2):
        host.succeed("completion", 20_000)
    # Updates that a subscriber has not read yet become one.
    assert told(host)[2] == 4 or told(host)[2] == 4
    assert nothing_is_told(host)
    assert (host.version(), namespaces(host)) == (4, ["B"])


def test_s49_an_older_answer_to_a_later_refresh_is_not_used(bundles: BundleHosts) -> None:
    answers = [bundle(3, element("A")), bundle(4, element("A")), bundle(3, element("B"))]
    bundles.server.answer(lambda _: Response(body=answers.pop(0)))
    host = bundles.open(fetch="no")
    ends = []
    for _ in range(3):
        host.succeed("refresh-async", "force")
        ends.append(host.succeed("completion", 20_000)["outcome"])
    assert ends == ["updated", "updated", "not_newer"]
    assert (host.version(), active(host)) == (4, ["A"])


def test_s50_a_callback_may_read_refresh_and_unsubscribe(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A", session={"foregroundTimeout": 5}))
    host = bundles.open(fetch="no")
    host.succeed("subscribe", busy=1)
    host.refresh()
    events = [host.event(), host.event()]
    (busy,) = [event for event in events if event["subscriber"] == "subscribe"]
    assert busy["value"] == 5
    assert [one["name"] for one in busy["namespaces"]] == ["A"]
    assert host.succeed("completion", 20_000)["outcome"] == "unchanged"


@ON_NGINX_TOO
def test_s52_new_defaults_hold_over_what_is_cached(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A", tracker={"appId": "remote"}))
    host = bundles.open(defaults=[element("A", subject={"userId": "d1"}, tracker={"appId": "d1"})])
    assert [told(host)[0], told(host)[0]] == ["opened", "updated"]
    assert text(host, "A", USER) == "d1"
    host.end()
    bundles.server.stop()
    later = bundles.open(defaults=[element("A", subject={"userId": "d2"}, tracker={"appId": "d2"})])
    assert told(later) == ("opened", "cached", 1)
    assert text(later, "A", USER) == "d2"
    assert text(later, "A", "/trackerConfiguration/appId") == "remote"


def images(bundles: StaticBundleHosts) -> list[Path]:
    """The files of what is cached."""
    files = (path for path in bundles.storage.rglob("*") if path.is_file())
    return [file for file in files if file.read_bytes().startswith(b"REMORAIM")]


def fetch(bundles: StaticBundleHosts, version: int, *elements: dict[str, object]) -> None:
    """Caches a bundle."""
    bundles.server.publish(version, *(elements or (element("A"),)))
    host = bundles.open(fetch="no")
    assert host.refresh()["outcome"] == "updated"
    assert host.end() == 0
