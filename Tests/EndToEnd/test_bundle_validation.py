# SPDX-License-Identifier: Apache-2.0
#
# Conformance cases of bundles, each under its number: what of a document is accepted, refused or ignored.
# "vN" is a bundle of version N.
"""Remote configurations: documents."""

from __future__ import annotations

import pytest

from EndToEnd.bundle_hosts import SHORT, StaticBundleHosts, active, namespaces, told
from EndToEnd.hosts import ON_NGINX_TOO
from Servers.bundle_server import SCHEMA, bundle, element


@ON_NGINX_TOO
@pytest.mark.parametrize("version", ["1-0-1", "1-1-0", "1-99-3"])
def test_s14_a_bundle_with_any_schema_version_that_starts_with_1_is_accepted(
    bundles: StaticBundleHosts, version: str
) -> None:
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
def test_s16_a_bundle_with_an_unsupported_schema_is_refused(bundles: StaticBundleHosts, schema: str) -> None:
    host = bundles.publish(1, element("A"), schema=schema).open()
    event = host.event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert "$schema" in event["error"]["message"]
    assert active(host) == []


@ON_NGINX_TOO
def test_s16_a_bundle_with_a_schema_of_another_vendor_is_accepted_if_the_program_configures_that_schema(
    bundles: StaticBundleHosts,
) -> None:
    other = "schemas.example/config/2"
    bundles.server.publish(1, element("A"), schema=f"https://{other}-4-0")
    assert told(bundles.open(accepted_schema=other)) == ("updated", "fetched", 1)
    assert told(bundles.publish(2, element("A")).open(accepted_schema=other))[0] == "opened"


@ON_NGINX_TOO
def test_s17_a_bundle_whose_schema_url_begins_with_https_is_accepted(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A"), schema=SCHEMA.replace("http:", "https:"))
    assert told(bundles.open()) == ("updated", "fetched", 1)


@ON_NGINX_TOO
@pytest.mark.parametrize("name", ["$schema", "configurationVersion", "configurationBundle"])
def test_s19_a_bundle_without_a_required_member_is_refused(bundles: StaticBundleHosts, name: str) -> None:
    bundles.server.say(bundle(1, element("A")).replace(f'"{name}"'.encode(), b'"other"'))
    event = bundles.open().event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert name in event["error"]["message"]


@ON_NGINX_TOO
@pytest.mark.parametrize("version", ["12", 1.5, True, None, [1]])
def test_s20_a_bundle_version_that_is_not_an_integer_is_refused(bundles: StaticBundleHosts, version: object) -> None:
    event = bundles.publish(version, element("A")).open().event()
    assert (event["outcome"], event["error"]["status"]) == ("refused", "REMORA_ERR_FORMAT")
    assert "configurationVersion" in event["error"]["message"]


@ON_NGINX_TOO
def test_s26_a_bundle_element_without_a_namespace_is_ignored_with_a_warning(bundles: StaticBundleHosts) -> None:
    nameless = {"networkConfiguration": {"endpoint": "https://x.example"}}
    host = bundles.publish(2, element("B"), nameless, 5, {"namespace": 7}, element("A")).open()
    assert told(host) == ("updated", "fetched", 2)
    assert namespaces(host) == ["B", "A"]
    said = host.log(SHORT)
    assert [any(f"/configurationBundle/{index} " in line for line in said) for index in range(5)] == [
        False, True, True, True, False,
    ]  # fmt: skip


@ON_NGINX_TOO
def test_s43_a_bundle_field_with_a_wrong_type_is_ignored_with_a_warning(bundles: StaticBundleHosts) -> None:
    bundles.server.publish(1, element("A", tracker={"sessionContext": "yes", "appId": "a"}))
    host = bundles.opened("opened", "updated", default=[element("A", tracker={"sessionContext": False})])
    assert host.value("A")["trackerConfiguration"] == {"appId": "a", "sessionContext": False}
    assert any("/configurationBundle/0/trackerConfiguration/sessionContext" in line for line in host.log(SHORT))


@ON_NGINX_TOO
def test_s44_a_timeout_that_a_fetched_bundle_omits_has_its_default_value(bundles: StaticBundleHosts) -> None:
    host = bundles.publish(1, element("A", session={"foregroundTimeout": 60})).opened(
        "opened", "updated", default=[element("A", session={"foregroundTimeout": 30, "backgroundTimeout": 900})]
    )
    assert host.value("A")["sessionConfiguration"] == {"foregroundTimeout": 60, "backgroundTimeout": 900}


@ON_NGINX_TOO
def test_s46_invalid_entries_of_the_custom_retry_map_are_ignored_and_valid_entries_are_kept(
    bundles: StaticBundleHosts,
) -> None:
    retries = {"500": True, "x": True, "401": 1}
    host = bundles.publish(1, element("A", emitter={"customRetryForStatusCodes": retries})).opened("updated")
    assert host.value("A")["emitterConfiguration"] == {"customRetryForStatusCodes": {"500": True}}
    place = "/configurationBundle/0/emitterConfiguration/customRetryForStatusCodes"
    said = host.log(SHORT)
    assert all(any(f"{place}/{name} " in line for line in said) for name in ("x", "401"))
