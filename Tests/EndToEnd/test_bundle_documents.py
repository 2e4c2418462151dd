# SPDX-License-Identifier: Apache-2.0
#
# What a bundle may say: documents that are refused whole, elements and fields that are left out, versions to the last
# digit, and defaults that are wrong.
"""Documents of remote configurations."""

from __future__ import annotations

import json
import time

import pytest

from EndToEnd.bundle_hosts import SHORT, BundleHosts, active, namespaces, told
from Servers.bundle_server import SCHEMA, bundle, element, removal
from Servers.loopback import Response

ENDPOINT = "/networkConfiguration/endpoint"

REFUSED = {
    "nothing": (b"", "REMORA_ERR_PARSE"),
    "no JSON": (b"<html>", "REMORA_ERR_PARSE"),
    "a comma too many": (bundle(2, element("A")).replace(b"}]}", b"},]}"), "REMORA_ERR_PARSE"),
    "cut": (bundle(2, element("A"))[:-1], "REMORA_ERR_PARSE"),
    "more behind it": (bundle(2, element("A")) + b"{}", "REMORA_ERR_PARSE"),
    "an array": (json.dumps([element("A")]).encode(), "REMORA_ERR_FORMAT"),
    "a string": (b'"bundle"', "REMORA_ERR_FORMAT"),
    "elements that are no array": (
        json.dumps({"$schema": SCHEMA, "configurationVersion": 2, "configurationBundle": {}}).encode(),
        "REMORA_ERR_FORMAT",
    ),
    "a schema that is no string": (bundle(2).replace(json.dumps(SCHEMA).encode(), b"5"), "REMORA_ERR_FORMAT"),
    "a version of 2^63": (bundle(2**63, element("A")), "REMORA_ERR_PARSE"),
    "a version of 2^63 as a real": (
        bundle(2, element("A")).replace(b'Version": 2', b'Version": 9223372036854775808.0'),
        "REMORA_ERR_FORMAT",
    ),
    "too deep": (bundle(2, element("A")).replace(b'"A"', b"[" * 70 + b"]" * 70), "REMORA_ERR_PARSE"),
    "a name twice": (bundle(2).replace(b'"configurationVersion"', b'"$schema"'), "REMORA_ERR_PARSE"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_document_that_is_not_a_bundle_is_refused_and_changes_nothing(bundles: BundleHosts, name: str) -> None:
    body, status = REFUSED[name]
    host = bundles.publish(1, element("A")).open()
    assert told(host) == ("updated", "fetched", 1)
    bundles.server.say(body)
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == (status, "refused"), answer
    event = host.event()
    assert (event["outcome"], event["error"]["status"], event["changes"]) == ("refused", status, [])
    assert (host.version(), active(host)) == (1, ["A"])


@pytest.mark.parametrize("status", [204, 206, 304, 404, 500])
def test_a_bundle_response_with_a_status_other_than_200_changes_nothing(bundles: BundleHosts, status: int) -> None:
    host = bundles.publish(1, element("A")).opened("updated")
    bundles.server.answer(Response(status=status))
    host.refresh()
    # Only what Remora itself has asked for is unchanged: the server gave no ETag.
    outcome = "unchanged" if status == 304 else "failed"
    assert (told(host), active(host)) == ((outcome, "fetched", 1), ["A"])


def test_bundle_versions_are_compared_exactly_beyond_the_precision_of_a_double(bundles: BundleHosts) -> None:
    host = bundles.open(fetch_at_open=False)
    for version, outcome in [
        (2**53, "updated"),
        (2**53 + 1, "updated"),
        (2**53, "not_newer"),
        (2**63 - 2, "updated"),
        (2**63 - 1, "updated"),
        (2**63 - 2, "not_newer"),
    ]:
        bundles.server.publish(version, element("A", session={"foregroundTimeout": version % 1000}))
        assert host.refresh()["outcome"] == outcome
    assert host.version() == 2**63 - 1


def test_the_version_of_a_bundle_may_be_negative_or_written_with_a_decimal_point_or_an_exponent(
    bundles: BundleHosts,
) -> None:
    host = bundles.open(fetch_at_open=False)
    for version, outcome in [(-5, "updated"), (-6, "not_newer"), (-4, "updated"), (2.0, "updated"), (3e2, "updated")]:
        bundles.server.publish(version, element("A"))
        assert host.refresh()["outcome"] == outcome, version
    assert host.version() == 300
    assert bundles.open(after=host).version() == 300


@pytest.mark.slow
def test_values_can_be_read_from_a_bundle_with_100000_namespaces(bundles: BundleHosts) -> None:
    count = 100_000
    bundles.server.publish(
        1, *({"namespace": f"n{i}", "networkConfiguration": {"endpoint": "e"}} for i in range(count))
    )
    host = bundles.open(fetch_at_open=False, default=[element("n5", subject={"userId": "d"})])
    start = time.monotonic()
    host.update()
    assert time.monotonic() - start < 20
    assert host.succeed("info")["version"] == 1
    assert [host.get_str(f"n{i}", ENDPOINT) for i in (0, 5, count - 1)] == ["e", "e", "e"]
    assert host.get_str("n5", "/subjectConfiguration/userId") == "d"
    assert namespaces(host) == [f"n{i}" for i in range(count)]
    bundles.update(host, 2, *(removal(f"n{i}") for i in range(count)))
    assert active(host) == []


def test_if_two_elements_of_a_bundle_have_the_same_namespace_the_last_element_is_used(bundles: BundleHosts) -> None:
    bundles.server.publish(1, removal("A"), element("B"), element("A", subject={"userId": "last"}), removal("B"))
    host = bundles.opened("updated")
    assert active(host) == ["A"]
    assert host.get_str("A", "/subjectConfiguration/userId") == "last"
    assert sum("has the namespace of an earlier element" in line for line in host.log(SHORT)) == 2


UNUSABLE = [
    ("tracker", "appId", 5),
    ("tracker", "appId", "x" * 4097),
    ("tracker", "devicePlatform", "fridge"),
    ("tracker", "devicePlatform", "MOB"),
    ("tracker", "logLevel", "loud"),
    ("tracker", "base64encoding", 1),
    ("tracker", "userAnonymisation", "true"),
    ("subject", "userId", 5),
    ("subject", "language", ["en"]),
    ("session", "backgroundTimeout", -1),
    ("session", "backgroundTimeout", 1.5),
    ("session", "foregroundTimeout", "60"),
    ("emitter", "bufferOption", "single"),
    ("emitter", "emitRange", 2**31),
    ("emitter", "threadPoolSize", True),
    ("emitter", "serverAnonymisation", 0),
    ("emitter", "customRetryForStatusCodes", [500]),
]


def test_an_invalid_field_of_a_fetched_bundle_is_ignored(bundles: BundleHosts) -> None:
    sections = [{section: {field: wrong, "other": [1]}} for section, field, wrong in UNUSABLE]
    bundles.server.publish(1, *(element(f"n{index}", **section) for index, section in enumerate(sections)))
    host = bundles.opened("updated")
    said = host.log(SHORT)
    assert len(said) == len(UNUSABLE)
    for index, (section, field, _) in enumerate(UNUSABLE):
        assert host.value(f"n{index}")[f"{section}Configuration"] == {"other": [1]}
        assert any(f"/configurationBundle/{index}/{section}Configuration/{field} " in line for line in said), index


def test_opening_a_bundle_fails_if_its_default_bundle_has_an_invalid_field(bundles: BundleHosts) -> None:
    host = bundles.setup()
    for section, field, wrong in UNUSABLE:
        answer = host.run("open", "bundle", default=[element("B", **{section: {field: wrong}})])
        assert answer["status"] == "REMORA_ERR_FORMAT", (section, field)


def test_valid_fields_of_a_bundle_are_kept_and_enumeration_values_become_lower_case(bundles: BundleHosts) -> None:
    sections: dict[str, dict[str, object]] = {
        "tracker": {"appId": "x" * 4096, "devicePlatform": "headset", "logLevel": "Debug", "geoLocationContext": True},
        "subject": {"userId": "", "timezone": None},
        "session": {"backgroundTimeout": 2**63 - 1, "foregroundTimeout": 0},
        "emitter": {"bufferOption": "LargeGroup", "emitRange": 2**31 - 1, "maxEventStoreAge": 2**40},
    }
    host = bundles.publish(1, {**element("A", **sections), "vendor": {"x": None}}).opened("updated")
    sections["tracker"]["logLevel"] = "debug"
    del sections["subject"]["timezone"]
    live = host.value("A")
    assert {name: live[f"{name}Configuration"] for name in sections} == sections
    assert live["vendor"] == {"x": None}
    assert host.log(SHORT) == []


@pytest.mark.parametrize(("method", "kept", "warned"), [("GET", "get", 0), ("Post", "post", 0), ("put", "post", 1)])
def test_an_unknown_http_method_in_a_bundle_is_replaced_by_post(
    bundles: BundleHosts, method: str, kept: str, warned: int
) -> None:
    network = {"networkConfiguration": {"endpoint": "https://a.example", "method": method}}
    host = bundles.publish(1, {**element("A"), **network}).opened("updated")
    assert host.get_str("A", "/networkConfiguration/method") == kept
    assert len(host.log(SHORT)) == warned


def test_if_a_section_of_a_bundle_has_a_wrong_type_a_warning_is_logged_and_the_default_is_used(
    bundles: BundleHosts,
) -> None:
    wrongs: tuple[object, ...] = (5, "text", [], True)
    cases = [(section, wrong) for section in ("tracker", "subject", "session", "emitter") for wrong in wrongs]
    inherited = [element(f"n{index}", **{section: {"vendor": "d"}}) for index, (section, _) in enumerate(cases)]
    bundles.server.publish(1, *(element(f"n{index}", **dict([case])) for index, case in enumerate(cases)))
    host = bundles.opened("opened", "updated", default=inherited)
    said = host.log(SHORT)
    assert len(said) == len(cases)
    for index, (section, _) in enumerate(cases):
        assert host.value(f"n{index}")[f"{section}Configuration"] == {"vendor": "d"}
        assert any(f"/configurationBundle/{index}/{section}Configuration " in line for line in said), index


def test_for_a_null_field_or_section_of_a_bundle_the_default_is_used(bundles: BundleHosts) -> None:
    inherited = {"subject": {"userId": "d", "language": "en"}, "session": {"foregroundTimeout": 9}}
    bundles.server.publish(1, element("A", subject={"userId": None, "language": "fr"}, session=None, emitter=None))
    host = bundles.opened("opened", "updated", default=[element("A", **inherited)])
    live = host.value("A")
    assert live["subjectConfiguration"] == {"userId": "d", "language": "fr"}
    assert live["sessionConfiguration"] == {"foregroundTimeout": 9}
    assert "emitterConfiguration" not in live
    assert host.log(SHORT) == []


def test_the_missing_fields_of_a_fetched_section_have_the_values_of_the_default_bundle(bundles: BundleHosts) -> None:
    network = {"networkConfiguration": {"endpoint": "https://default.example", "method": "get"}}
    default = {**element("A", tracker={"appId": "d", "devicePlatform": "tv"}), **network}
    bundles.server.publish(1, *(element(name, tracker={"logLevel": "off"}) for name in "AB"))
    host = bundles.opened("opened", "updated", default=[default])
    assert host.value("A")["networkConfiguration"] == {"endpoint": "https://A.example", "method": "get"}
    assert host.value("A")["trackerConfiguration"] == {"appId": "d", "devicePlatform": "tv", "logLevel": "off"}
    assert host.value("B")["networkConfiguration"] == {"endpoint": "https://B.example"}
    assert host.value("B")["trackerConfiguration"] == {"logLevel": "off"}
    assert host.get_str("B", "/networkConfiguration/method", "post") == "post"


def test_a_namespace_is_removed_if_the_section_network_configuration_of_its_bundle_element_has_no_valid_endpoint(
    bundles: BundleHosts,
) -> None:
    networks: tuple[object, ...] = (5, [], {}, {"method": "get"}, {"endpoint": 5}, {"endpoint": ""})
    names = [f"n{index}" for index in range(len(networks))]
    bundles.server.publish(1, *(element(name) for name in names))
    host = bundles.opened("opened", "updated", default=[element(name) for name in names])
    pairs = zip(names, networks, strict=True)
    bundles.update(host, 2, *({"namespace": name, "networkConfiguration": network} for name, network in pairs))
    assert active(host) == []
    said = host.log(SHORT)
    for index in range(len(networks)):
        assert any(f"/configurationBundle/{index}/networkConfiguration" in line for line in said), index


def test_of_500_invalid_bundle_elements_the_first_99_are_logged_and_the_others_are_counted(
    bundles: BundleHosts,
) -> None:
    host = bundles.publish(1, *range(500), element("A")).opened("updated")
    said = host.log(SHORT)
    assert len(said) == 100
    assert "401 further warnings" in said[-1]


BAD_DEFAULTS = {
    "not JSON": ("{", "default_bundle"),
    "not an object": ("5", "default_bundle"),
    "no elements": ("{}", "configurationBundle"),
    "a version that is text": ('{"configurationVersion":"1","configurationBundle":[]}', "configurationVersion"),
    "another schema": ('{"$schema":"http://x/1-0-0","configurationBundle":[]}', "$schema"),
    "an element that is no object": ("[5]", "/0"),
    "no namespace": ("[{}]", "/0"),
    "a namespace twice": (json.dumps([element("A"), element("A")]), "/1"),
    "no endpoint": ('[{"namespace":"A","networkConfiguration":{}}]', "/0/networkConfiguration"),
    "a wrong field": (
        json.dumps({"configurationBundle": [element("A", session={"foregroundTimeout": -1})]}),
        "/configurationBundle/0/sessionConfiguration/foregroundTimeout",
    ),
}


@pytest.mark.parametrize("name", BAD_DEFAULTS)
def test_an_error_about_an_invalid_default_bundle_names_the_invalid_part(bundles: BundleHosts, name: str) -> None:
    defaults, place = BAD_DEFAULTS[name]
    host = bundles.setup()
    answer = host.run("open", "bundle", bundles.server.url(), default=defaults)
    assert answer["status"] in ("REMORA_ERR_PARSE", "REMORA_ERR_FORMAT")
    assert "default_bundle" in answer["message"]
    assert place in answer["message"]
    assert bundles.server.requests == []


def test_a_default_bundle_may_contain_its_version(bundles: BundleHosts) -> None:
    bundles.server.publish(7, element("A"))
    defaults = {"$schema": SCHEMA, "configurationVersion": 7, "configurationBundle": [element("A")]}
    host = bundles.open(default=defaults)
    assert [told(host), told(host)] == [("opened", "default", 7), ("unchanged", "default", 7)]
    answer = bundles.setup().run("open", "bundle", default=defaults, default_version=8)
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "default_version" in answer["message"]


def test_a_namespace_without_network_configuration_in_the_default_bundle_is_not_listed_but_completes_the_fetched_one(
    bundles: BundleHosts,
) -> None:
    defaults = [removal("A", session={"foregroundTimeout": 9}), element("B")]
    host = bundles.publish(1, element("A")).open(default=defaults, fetch_at_open=False)
    assert active(host) == ["B"]
    host.update()
    assert host.get_int("A", "/sessionConfiguration/foregroundTimeout") == 9
    assert (namespaces(host), active(host)) == (["A"], ["A", "B"])
