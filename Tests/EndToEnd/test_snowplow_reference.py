# SPDX-License-Identifier: Apache-2.0
#
# The tests that Snowplow's trackers have of their remote configuration, asked of Remora, where no numbered case of
# test_bundle_order.py is the same. Each names its reference: iOS
# is TestRemoteConfiguration.swift, Android RemoteConfigurationTest.kt. What they are silent about is an outcome here.
"""Cases of the Snowplow trackers."""

from __future__ import annotations

from EndToEnd.bundle_hosts import SHORT, StaticBundleHosts, active, fetch, namespaces, told
from EndToEnd.driver import Driver
from EndToEnd.hosts import ON_NGINX_TOO
from Servers.bundle_server import SCHEMA, element, removal

LATER_SCHEMA = SCHEMA.replace("1-0-0", "1-1-0")


def all_told(host: Driver, count: int) -> list[tuple[str, str, int]]:
    """So many events, and no more."""
    events = [told(host) for _ in range(count)]
    assert host.is_silent(SHORT)
    return events


@ON_NGINX_TOO
def test_every_part_of_a_bundle_can_be_read_at_its_json_pointer(bundles: StaticBundleHosts) -> None:
    """iOS, Android: testJSONToConfigurations."""
    first = element(
        "default1",
        tracker={"applicationContext": False, "screenContext": False},
        session={"backgroundTimeout": 60, "foregroundTimeout": 60},
        emitter={"serverAnonymisation": True, "customRetryForStatusCodes": {"500": True}},
    )
    first["networkConfiguration"] = {"endpoint": "https://fake.example", "method": "get"}
    host = bundles.publish(12, first, removal("default2", subject={"userId": "testUserId"})).open()
    assert all_told(host, 1) == [("updated", "fetched", 12)]
    assert host.value("default1") == first
    # The trackers parse an element without a network and then remove its namespace.
    assert (namespaces(host), host.get_str("default2", "/subjectConfiguration/userId")) == (["default1"], "none")
    assert host.log(SHORT) == []


@ON_NGINX_TOO
def test_a_downloaded_bundle_is_reported_with_the_origin_fetched(bundles: StaticBundleHosts) -> None:
    """iOS, Android: testDownloadConfiguration. (Android's testConfigurationFetcher_downloads hands over a schema of
    another model, which its provider refuses, as Remora does.)"""
    host = bundles.publish(12).open()
    assert all_told(host, 1) == [("updated", "fetched", 12)]
    assert active(host) == []


@ON_NGINX_TOO
def test_a_cached_bundle_is_read_as_it_was_stored(bundles: StaticBundleHosts) -> None:
    """iOS: testCache. Android: testConfigurationCache."""
    written = element("namespace")
    written["networkConfiguration"] = {"endpoint": "https://endpoint.example", "timeout": 100}
    fetch(bundles, 12, written)
    bundles.server.stop()
    host = bundles.open()
    assert told(host) == ("opened", "cached", 12)
    assert host.values() == {"namespace": written}


@ON_NGINX_TOO
def test_the_emitter_configuration_of_a_bundle_is_cached(bundles: StaticBundleHosts) -> None:
    """iOS, Android: testCacheEmitterConfiguration."""
    emitter = {"serverAnonymisation": True, "customRetryForStatusCodes": {"500": True, "403": False}}
    fetch(bundles, 1, element("namespace", emitter=emitter))
    assert bundles.open(fetch_at_open=False).value("namespace")["emitterConfiguration"] == emitter


@ON_NGINX_TOO
def test_if_a_bundle_cannot_be_fetched_the_error_is_reported_and_no_data_can_be_read(
    bundles: StaticBundleHosts,
) -> None:
    """Android: testConfigurationProvider_notDownloading_fails. The case of iOS (404) is S02."""
    bundles.server.fail()
    host = bundles.open()
    event = host.event()
    assert (event["outcome"], event["origin"], event["error"]["http_status"]) == ("failed", "none", 500)
    assert (host.is_silent(SHORT), active(host)) == (True, [])


@ON_NGINX_TOO
def test_when_a_bundle_is_opened_a_response_with_the_same_version_as_the_cache_is_not_used(
    bundles: StaticBundleHosts,
) -> None:
    """iOS: testProvider_downloadSameConfigVersionThanCached_dontUpdate. Android: testConfigurationProvider_
    downloadSameConfigVersionThanCached_dontUpdate."""
    fetch(bundles, 1, element("namespace"))
    host = bundles.publish(1, schema=LATER_SCHEMA).open()
    assert all_told(host, 2) == [("opened", "cached", 1), ("not_newer", "cached", 1)]
    assert namespaces(host) == ["namespace"]


@ON_NGINX_TOO
def test_a_refresh_of_a_bundle_does_not_use_a_response_with_the_same_version_as_the_cache(
    bundles: StaticBundleHosts,
) -> None:
    """iOS: testProvider_justRefresh_downloadSameConfigVersionThanCached_dontUpdate. Android: testConfigurationProvider_
    justRefresh_downloadSameConfigVersionThanCached_dontUpdate."""
    fetch(bundles, 1, element("namespace"))
    host = bundles.publish(1, schema=LATER_SCHEMA).open(fetch_at_open=False)
    assert all_told(host, 1) == [("opened", "cached", 1)]
    for _ in range(2):
        assert host.refresh()["outcome"] == "not_newer"
        assert all_told(host, 1) == [("not_newer", "cached", 1)]
    assert namespaces(host) == ["namespace"]


@ON_NGINX_TOO
def test_a_refresh_reports_a_bundle_with_a_higher_version_by_exactly_one_event(bundles: StaticBundleHosts) -> None:
    """iOS (4.1.0), Android: …justRefresh_downloadHigherConfigVersionThanCached_doUpdate."""
    fetch(bundles, 1, element("namespace"))
    host = bundles.open(fetch_at_open=False)
    assert all_told(host, 1) == [("opened", "cached", 1)]
    bundles.update(host, 2, schema=LATER_SCHEMA)
    assert all_told(host, 1) == [("updated", "fetched", 2)]


@ON_NGINX_TOO
def test_a_property_has_the_value_of_the_default_bundle_if_the_server_does_not_set_it(
    bundles: StaticBundleHosts,
) -> None:
    """iOS, Android: testKeepsPropertiesOfSourceConfigurationIfNotOverridenInRemote."""
    default = element("ns1", tracker={"appId": "app-1"}, subject={"userId": "user-1", "domainUserId": "default"})
    remote = element("ns1", subject={"domainUserId": "remote"})
    host = bundles.publish(2, remote).opened("opened", "updated", default=[default])
    live = host.value("ns1")
    assert live["trackerConfiguration"] == {"appId": "app-1"}
    assert live["subjectConfiguration"] == {"userId": "user-1", "domainUserId": "remote"}


@ON_NGINX_TOO
def test_an_override_in_a_bundle_is_kept_when_the_server_replaces_the_section(bundles: StaticBundleHosts) -> None:
    """iOS, Android: testUpdatingConfigurationRetainsPausedEmitter. The pause is a value of the host's here."""
    host = bundles.publish(1, element("namespace", emitter={"emitRange": 1})).open(fetch_at_open=False)
    host.update()
    host.succeed("override", "namespace", "/emitterConfiguration/paused", True)
    bundles.update(host, 2, element("namespace", emitter={"emitRange": 2}))
    assert host.value("namespace")["emitterConfiguration"] == {"emitRange": 2, "paused": True}
