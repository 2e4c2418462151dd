# SPDX-License-Identifier: Apache-2.0
#
# What has not changed costs nothing: with a 304, and with the same document once more, nothing is written but the
# ledger, and nobody is told of changes. With a server of our own and with nginx.
"""Refreshes of what has not changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from EndToEnd.bundle_hosts import StaticBundleHosts, namespaces
from EndToEnd.driver import Driver
from EndToEnd.hosts import ON_BOTH_SERVERS
from EndToEnd.settings_hosts import PATH, StaticSettingsHosts
from Servers.bundle_server import bundle, element
from Servers.static_server import FRESH, STALE, StaticServer

State = dict[str, tuple[int, int, int, int]]


def files(storage: Path) -> State:
    """Inode, size, and times of modification and change of the directory and of all in it but ledgers.

    The directory's own times are others after any file came, went or got another name.
    """
    found: State = {}
    for path in [storage, *storage.iterdir()]:
        if path.suffix != ".ledger":
            status = path.stat()
            found[path.name] = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    assert any(name.endswith(".live") for name in found)
    return found


def statuses(server: StaticServer) -> list[int]:
    """What was answered so far."""
    return [exchange.status for exchange in server.exchanges]


def is_told_unchanged_once(host: Driver, refresh: Callable[[], None]) -> None:
    """A refresh has one event, without changes, and leaves the data as they were; they count as fetched then."""
    before = host.succeed("snapshot")
    refresh()
    event = host.event()
    assert (event["cause"], event["outcome"], event["changes"]) == ("refreshed", "unchanged", [])
    assert host.is_silent()
    same = ("json", "version", "fetched_at")
    after = host.succeed("snapshot")
    assert [after[name] for name in same] == [before[name] for name in same]
    assert (event["origin"], after["origin"]) == ("fetched", "fetched")


def refreshed(host: Driver) -> None:
    """A refresh, with all that it tells."""
    host.succeed("begin_refresh")
    assert host.completion()["outcome"] == "unchanged"


@ON_BOTH_SERVERS
@pytest.mark.parametrize(("republished", "status"), [(False, 304), (True, 200)])
def test_an_unchanged_bundle_is_not_written_to_disk(bundles: StaticBundleHosts, republished: bool, status: int) -> None:
    host = bundles.publish(2, element("A")).open(fetch_at_open=False)
    host.update()
    assert host.event()["outcome"] == "updated"
    before = files(bundles.storage)
    for _ in range(3):
        if republished:
            bundles.server.publish(2, element("A"))
        is_told_unchanged_once(host, lambda: refreshed(host))
    assert files(bundles.storage) == before
    assert statuses(bundles.server) == [200, status, status, status]


@ON_BOTH_SERVERS
@pytest.mark.parametrize(("republished", "status"), [(False, 304), (True, 200)])
@pytest.mark.parametrize("activation", ["immediate", "next_setup"])
def test_unchanged_settings_are_not_written_to_disk(
    settings: StaticSettingsHosts, activation: str, republished: bool, status: int
) -> None:
    host = settings.say(a=1, b=[2]).fetch().open(activation=activation, on_event=True)
    assert host.event()["cause"] == "opened"
    before = files(settings.storage)
    for _ in range(3):
        if republished:
            settings.server.say(b'{"b": [2], "a": 1}', PATH)
        is_told_unchanged_once(host, lambda: refreshed(host))
    assert files(settings.storage) == before
    assert statuses(settings.server) == [200, *([status] * 3)]


@ON_BOTH_SERVERS
def test_after_restarts_a_bundle_is_requested_with_its_etag_until_it_changes(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A"))
    for outcome in ("updated", "unchanged", "unchanged"):
        host = bundles.open(fetch_at_open=False)
        assert host.refresh()["outcome"] == outcome
        host.end()
    host = bundles.publish(2, element("B")).open(fetch_at_open=False)
    assert (namespaces(host), host.refresh()["outcome"], namespaces(host)) == (["A"], "updated", ["B"])
    assert host.refresh()["outcome"] == "unchanged"
    assert statuses(bundles.server) == [200, 304, 304, 200, 304]
    asked = [exchange.if_none_match for exchange in bundles.server.exchanges]
    assert asked[0] == "" and asked[1] == asked[2] == asked[3] != asked[4] != ""


@ON_BOTH_SERVERS
def test_after_restarts_settings_are_requested_with_their_etag_until_they_change(settings: StaticSettingsHosts) -> None:
    settings.say(a=1).fetch().fetch()
    assert settings.say(a=2).fetch().open().get_int("a") == 2
    settings.fetch()
    assert statuses(settings.server) == [200, 304, 200, 304]


@ON_BOTH_SERVERS
def test_an_unchanged_bundle_with_a_new_etag_is_next_requested_with_that_etag(bundles: StaticBundleHosts) -> None:
    host = bundles.open(fetch_at_open=False)
    for outcome in ("updated", "unchanged"):
        bundles.server.publish(1, element("A"))
        assert [host.refresh()["outcome"], host.refresh()["outcome"]] == [outcome, "unchanged"]
    assert statuses(bundles.server) == [200, 304, 200, 304]


@ON_BOTH_SERVERS
def test_a_bundle_that_was_rejected_is_requested_again_without_its_etag(bundles: StaticBundleHosts) -> None:
    host = bundles.publish(2, element("A")).open(fetch_at_open=False)
    host.update()
    for body, outcome in ((bundle(1, element("B")), "not_newer"), (b"{}", "refused")):
        bundles.server.say(body)
        assert [host.refresh()["outcome"] for _ in range(2)] == [outcome, outcome]
        assert namespaces(host) == ["A"]
    assert statuses(bundles.server) == [200] * 5


@ON_BOTH_SERVERS
def test_fetched_data_is_kept_when_the_server_no_longer_has_the_document(settings: StaticSettingsHosts) -> None:
    host = settings.say(a=1).fetch().open()
    before = files(settings.storage)
    settings.server.fail()
    assert host.refresh()["status"] == "REMORA_ERR_HTTP"
    assert (host.get_int("a"), files(settings.storage)) == (1, before)
    assert settings.server.exchanges[-1].if_none_match != ""


@ON_BOTH_SERVERS
def test_a_compressed_document_is_fetched_and_later_confirmed_by_its_etag(settings: StaticSettingsHosts) -> None:
    settings.say(a=1, text="x" * 10_000).fetch()
    assert settings.server.exchanges[0].encoding == "gzip"
    host = settings.open()
    assert (host.get_int("a"), host.refresh()["outcome"]) == (1, "unchanged")
    assert statuses(settings.server) == [200, 304]


@ON_BOTH_SERVERS
@pytest.mark.parametrize(("below", "requests"), [(FRESH, 1), (STALE, 3)])
def test_the_cache_control_header_of_a_response_decides_whether_await_sends_another_request(
    settings: StaticSettingsHosts, below: str, requests: int
) -> None:
    settings.server.say(b'{"a":1}', f"{below}{PATH}")
    url = settings.server.url(f"{below}{PATH}")
    host = settings.open(url=url, tag="x")
    for _ in range(2):
        assert host.succeed("wait")["json"] == {"a": 1}
    assert settings.open(url=url, tag="x", after=host).succeed("wait")["json"] == {"a": 1}
    assert statuses(settings.server) == [200, 304, 304][:requests]
