# SPDX-License-Identifier: Apache-2.0
#
# Bundles in the course of time: what is carried over, what other processes see, where requests go, and hosts that have
# no server at all.
"""The life of remote configurations."""

from __future__ import annotations

import pytest

from EndToEnd.bundle_hosts import SHORT, BundleHosts, active, namespaces, told
from Servers.bundle_server import bundle, element, removal
from Servers.loopback import Ending, Response
from Servers.waiting import wait_until

USER = "/subjectConfiguration/userId"


def test_a_namespace_that_a_new_bundle_omits_can_be_read_until_the_next_start(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A", subject={"userId": "old"}), element("B")).opened("updated")
    for version in (2, 3):
        bundles.update(host, version, element("B", subject={"userId": str(version)}))
        assert (namespaces(host), active(host)) == (["B"], ["B", "A"])
        assert (host.get_str("A", USER), host.get_str("B", USER)) == ("old", str(version))
    host.succeed("override", "A", USER, "host")
    assert host.get_str("A", USER) == "host"
    bundles.update(host, 4, element("A"), element("B"))
    assert (namespaces(host), host.get_str("A", USER)) == (["A", "B"], "host")
    bundles.update(host, 5, element("B"))
    assert active(host) == ["B", "A"]
    bundles.update(host, 6, element("B"), removal("A"))
    assert active(host) == ["B"]
    bundles.update(host, 7, element("C"))
    assert active(host) == ["C", "B"]
    assert active(bundles.open(fetch_at_open=False, after=host)) == ["C"]


def test_a_namespace_that_a_new_bundle_omits_has_its_default_value_after_its_override_is_cleared(
    bundles: BundleHosts,
) -> None:
    host = bundles.publish(1, element("A")).open(default=[element("A", subject={"userId": "d"})], fetch_at_open=False)
    host.update()
    host.succeed("override", "A", USER, "host")
    bundles.update(host, 2)
    assert host.get_str("A", USER) == "host"
    host.succeed("clear_override", "A", USER)
    assert host.get_str("A", USER) == "d"


def test_a_bundle_with_a_higher_version_and_equal_content_changes_only_the_version(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    bundles.update(host, 2, element("A"))
    event = host.event()
    assert (event["outcome"], event["version"], event["changes"]) == ("updated", 2, [])


def test_a_bundle_with_changed_content_and_an_unchanged_version_is_ignored_with_a_warning(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    assert host.refresh()["outcome"] == "unchanged"
    bundles.server.publish(1, element("B"))
    assert host.refresh()["outcome"] == "not_newer"
    assert [told(host)[0], told(host)[0]] == ["unchanged", "not_newer"]
    assert active(host) == ["A"]
    assert any("its version is still 1" in line for line in host.log(SHORT))


def test_a_fetched_bundle_is_used_only_if_it_is_newer_than_the_default_bundle(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    host.end()
    later = bundles.publish(2, element("B")).open(default=[element("D")], default_version=5)
    assert [told(later), told(later)] == [("opened", "cached", 1), ("not_newer", "cached", 1)]
    bundles.update(later, 6, element("B"))
    assert told(later) == ("updated", "fetched", 6)


def test_every_refresh_of_a_bundle_is_reported_by_exactly_one_event_with_its_outcome(bundles: BundleHosts) -> None:
    host = bundles.open(fetch_at_open=False)
    bodies = [bundle(2, element("A")), bundle(2, element("A")), bundle(1), b"?", bundle(3, element("A"))]
    outcomes = ["updated", "unchanged", "not_newer", "refused", "updated"]
    for body, outcome in zip(bodies, outcomes, strict=True):
        bundles.server.say(body)
        assert host.refresh()["outcome"] == outcome
    bundles.server.stop()
    assert host.refresh()["outcome"] == "failed"
    assert [host.event()["outcome"] for _ in range(6)] == [*outcomes, "failed"]
    assert host.is_silent(SHORT)


def redirect(status: int, location: str) -> Response:
    """An answer that leads elsewhere."""
    return Response(status=status, headers={"Location": location})


@pytest.mark.parametrize(("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_a_request_for_a_bundle_follows_a_redirect_to_any_server(
    bundles: BundleHosts, status: int, method: str
) -> None:
    elsewhere = bundles.server.url("/there").replace("127.0.0.1", "localhost")
    bundles.server.answer(redirect(status, elsewhere))
    assert told(bundles.publish(1, element("A"), path="/there").open(method="post")) == ("updated", "fetched", 1)
    assert [request.method for request in bundles.server.requests] == ["POST", method]
    assert bundles.server.requests[1].headers["host"].startswith("localhost")


IMPERFECT = {
    "an encoding that did not encode": Response(headers={"Content-Encoding": "aws-chunked"}),
    "gzip that did not compress": Response(headers={"Content-Encoding": "gzip"}),
    "status 203": Response(status=203),
}


@pytest.mark.parametrize("name", IMPERFECT)
def test_a_bundle_with_a_wrong_content_encoding_or_status_203_is_accepted_with_a_warning(
    bundles: BundleHosts, name: str
) -> None:
    response = IMPERFECT[name]
    body = bundle(1, element("A"))
    bundles.server.answer(Response(status=response.status, headers=response.headers, body=body))
    host = bundles.open()
    assert told(host) == ("updated", "fetched", 1)
    word = response.headers.get("Content-Encoding", "203")
    assert any(word in line and "/bundle.json" in line for line in host.log(SHORT))


def test_a_bundle_with_a_byte_order_mark_is_accepted_with_a_warning(bundles: BundleHosts) -> None:
    bundles.server.answer(Response(body=b"\xef\xbb\xbf" + bundle(1, element("A"))))
    host = bundles.open()
    assert told(host) == ("updated", "fetched", 1)
    assert any("byte order mark" in line for line in host.log(SHORT))


def test_an_error_about_a_bundle_that_cannot_be_decoded_names_its_content_encoding(bundles: BundleHosts) -> None:
    bundles.server.answer(Response(headers={"Content-Encoding": "br"}, body=b"\x8b\x02\x80{}\x03"))
    event = bundles.open().event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_PARSE")
    assert 'Content-Encoding "br"' in event["error"]["message"]


@pytest.mark.parametrize(("count", "outcome"), [(5, "updated"), (6, "failed")])
def test_a_request_for_a_bundle_follows_at_most_five_redirects(bundles: BundleHosts, count: int, outcome: str) -> None:
    for step in range(count):
        path = "/bundle.json" if step == 0 else f"/{step}"
        bundles.server.answer(redirect(302, f"/{step + 1}"), path=path)
    event = bundles.publish(1, element("A"), path=f"/{count}").open().event()
    assert event["outcome"] == outcome
    assert outcome == "updated" or event["error"]["status"] == "REMORA_ERR_REDIRECT"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://h.example/x",
        "file:///etc/passwd",
        "https://user@h.example/x",
        "https://user:secret@h.example/x",
        "user:secret@h.example/x",
        "https://h.example/x#part",
        "https:///x",
        "//h.example/x",
        "https://h.example/%2",
        "https://h.example:0/x",
    ],
)
def test_an_invalid_url_of_a_bundle_is_an_invalid_argument(bundles: BundleHosts, url: str) -> None:
    host = bundles.setup()
    answer = host.run("open", "bundle", url)
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert answer["message"].startswith("url ")
    assert "secret" not in answer["message"]


def test_bundles_whose_urls_differ_only_in_the_query_have_separate_caches(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A"))
    url = bundles.server.url("/bundle.json?app=1")
    assert told(bundles.open(url=url)) == ("updated", "fetched", 1)
    assert bundles.server.requests[0].target == "/bundle.json?app=1"
    assert active(bundles.open(url=bundles.server.url("/bundle.json?app=2"), fetch_at_open=False)) == []


def test_a_bundle_without_a_url_consists_of_its_defaults_and_overrides(bundles: BundleHosts) -> None:
    host = bundles.setup()
    answers = [host.run("open", "bundle", default=[element(name)], name=name) for name in ("one", "two")]
    assert [answer["status"] for answer in answers] == ["REMORA_OK", "REMORA_OK"]
    assert active(host) == ["two"]
    host.succeed("override", "two", USER, "u")
    host.succeed("override", "new", "/x", 1)
    assert (active(host), host.get_str("two", USER)) == (["two", "new"], "u")
    answer = host.refresh()
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "without a URL" in answer["message"]
    assert host.succeed("sync")["total"] == 0


def test_another_process_picks_up_a_fetched_bundle_and_keeps_the_namespaces_that_the_bundle_omits(
    bundles: BundleHosts,
) -> None:
    first = bundles.publish(1, element("A"), element("B")).opened("updated")
    second = bundles.opened("opened", fetch_at_open=False, persist_overrides=True)
    second.succeed("override", "B", USER, "u")
    assert second.event()["cause"] == "override"
    bundles.update(first, 2, element("C"), removal("B"))
    event = second.event()
    assert (event["cause"], event["version"]) == ("adopted", 2)
    assert (namespaces(second), active(second)) == (["C"], ["C", "A"])
    bundles.update(first, 3, element("B"))
    wait_until(lambda: namespaces(second) == ["B"], "the third version", 20.0)
    assert second.get_str("B", USER) == "none"
    assert bundles.open(fetch_at_open=False, persist_overrides=True, after=second).get_str("B", USER) == "none"


def test_after_a_reset_the_default_bundle_is_read_until_the_next_refresh(bundles: BundleHosts) -> None:
    host = bundles.publish(3, element("A"), element("B")).opened("opened", "updated", default=[element("D")])
    assert active(host) == ["A", "B", "D"]
    host.succeed("reset")
    assert told(host) == ("reset", "default", 0)
    assert active(host) == ["D"]
    bundles.update(host, 1, element("A"))
    assert told(host) == ("updated", "fetched", 1)


def test_a_sync_fetches_bundles(bundles: BundleHosts) -> None:
    bundles.server.publish(1, element("A", session={"foregroundTimeout": 3}))
    host = bundles.open(fetch_at_open=False, url=bundles.server.url("/bundle.json?key=secret"))
    report = host.succeed("sync")
    (item,) = report["items"]
    assert (item["server"], item["source_name"]) == (bundles.server.origin, f"{bundles.server.origin}/bundle.json")
    assert item["outcome"] == "updated"
    assert host.get_int("A", "/sessionConfiguration/foregroundTimeout") == 3


@pytest.mark.parametrize("way", ["exit", "close", "close_source"])
def test_a_process_can_exit_while_the_refresh_at_the_opening_of_a_bundle_hangs(bundles: BundleHosts, way: str) -> None:
    bundles.server.answer(Response(silent=True, ending=Ending.HANG))
    host = bundles.open(default=[element("A")])
    wait_until(lambda: len(bundles.server.requests) == 1, "the request", 20.0)
    assert host.run(way)["status"] == "REMORA_OK"
    assert host.end() == 0


def test_a_bundle_with_a_refresh_interval_is_refreshed_automatically(bundles: BundleHosts) -> None:
    host = bundles.publish(1, element("A")).open(refresh_interval=1)
    assert told(host) == ("updated", "fetched", 1)
    bundles.server.publish(2, element("B"))
    wait_until(lambda: host.event()["version"] == 2, "the second version", 30.0)
    assert namespaces(host) == ["B"]
