# SPDX-License-Identifier: Apache-2.0
"""Flags in each kind of source, the events of the provider, and the reasons STALE and CACHED."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import remora
from conftest import FLAGS, URL
from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.event import EventDetails, ProviderEvent
from openfeature.flag_evaluation import Reason
from openfeature.provider import ProviderStatus
from remora.testing import Server
from remora_openfeature import RemoraProvider

Next = Callable[[ProviderEvent], EventDetails]
CHANGED, READY = ProviderEvent.PROVIDER_CONFIGURATION_CHANGED, ProviderEvent.PROVIDER_READY
STALE, ERROR = ProviderEvent.PROVIDER_STALE, ProviderEvent.PROVIDER_ERROR
BUNDLE_URL = "https://settings.test/bundle.json"


def publish_bundle(server: Server, version: int, **flags: object) -> None:
    element = {"namespace": "web", "networkConfiguration": {"endpoint": "https://c.test"}, "features": {"f": flags}}
    schema = "http://iglucentral.com/schemas/com.snowplowanalytics.mobile/remote_config/jsonschema/1-0-0"
    document = {"$schema": schema, "configurationVersion": version, "configurationBundle": [element]}
    server.publish_document(BUNDLE_URL, document)


def test_records_of_a_collection_are_flags(server: Server, remora_client: remora.Client) -> None:
    server.publish(
        "flags",
        {
            "menu": {"variants": {"new": True, "old": False}, "default": "new"},
            "color": {"value": "red"},
            "limits": {"uploads": 5},
        },
    )
    api.set_provider_and_wait(RemoraProvider(remora_client.collection("flags", trust="off")))
    client = api.get_client()
    assert client.get_boolean_details("menu", False).variant == "new"
    assert client.get_string_value("color", "") == "red"
    assert client.get_object_value("limits", {})["uploads"] == 5  # type: ignore[call-overload]


def test_flags_can_be_the_members_of_an_object_in_a_bundle(
    server: Server, remora_client: remora.Client, events: Next
) -> None:
    publish_bundle(server, 1, menu=True, color="red", gone=1)
    bundle = remora_client.bundle(BUNDLE_URL, fetch_at_open=False)
    api.set_provider_and_wait(RemoraProvider(bundle, path=("web", "features", "f")))
    assert api.get_client().get_boolean_value("menu", False) is True
    assert api.get_client().get_boolean_details("x", False).error_message == (
        "the source has no value for web/features/f/x"
    )
    publish_bundle(server, 2, menu=False, color="red", new=2)
    bundle.refresh(5)
    assert events(CHANGED).flags_changed == ["gone", "menu", "new"]
    assert api.get_client().get_boolean_value("menu", True) is False


def test_a_refresh_that_changes_flags_is_reported_with_their_keys(
    server: Server, settings: remora.Settings, client: OpenFeatureClient, events: Next
) -> None:
    server.publish_document(URL, {**FLAGS, "on": False, "extra": 1})
    settings.refresh(5)
    event = events(CHANGED)
    assert (event.flags_changed, event.provider_name, event.metadata["source"]) == (["extra", "on"], "remora", URL)
    assert client.get_boolean_value("on", True) is False


def test_an_override_of_the_program_changes_a_flag(
    settings: remora.Settings, client: OpenFeatureClient, events: Next
) -> None:
    settings.overrides["on"] = False
    assert events(CHANGED).flags_changed == ["on"]
    details = client.get_boolean_details("on", True)
    assert (details.value, details.flag_metadata["origin"]) == (False, "override")


def test_a_failed_refresh_makes_the_provider_stale_until_the_next_success(
    server: Server, settings: remora.Settings, client: OpenFeatureClient, events: Next
) -> None:
    server.down()
    with pytest.raises(remora.NetworkError):
        settings.refresh(5, force=True)
    assert "test server is down" in (events(STALE).message or "")
    assert client.get_provider_status() is ProviderStatus.STALE
    details = client.get_boolean_details("on", False)
    assert (details.value, details.reason) == (True, Reason.STALE)
    events(READY)
    server.up()
    settings.refresh(5, force=True)
    events(READY)
    assert client.get_provider_status() is ProviderStatus.READY
    assert client.get_boolean_details("on", False).reason == Reason.STATIC


def test_a_response_that_is_not_newer_does_not_end_a_stale_state(
    server: Server, remora_client: remora.Client, events: Next
) -> None:
    publish_bundle(server, 2, menu=True)
    bundle = remora_client.bundle(BUNDLE_URL, fetch_at_open=False)
    api.set_provider_and_wait(RemoraProvider(bundle, path=("web", "features", "f")))
    server.down()
    with pytest.raises(remora.NetworkError):
        bundle.refresh(5, force=True)
    events(STALE)
    server.up()
    publish_bundle(server, 1, menu=False)
    assert bundle.refresh(5, force=True) is remora.Outcome.NOT_NEWER
    details = api.get_client().get_boolean_details("menu", False)
    assert (details.value, details.reason) == (True, Reason.STALE)


def test_a_failed_refresh_soon_after_a_success_does_not_make_the_provider_stale(
    server: Server, settings: remora.Settings
) -> None:
    api.set_provider_and_wait(RemoraProvider(settings, stale_after=3600))
    server.down()
    with pytest.raises(remora.NetworkError):
        settings.refresh(5, force=True)
    settings.overrides["on"] = False  # An event after that of the refresh.
    assert api.get_client().get_provider_status() is ProviderStatus.READY


def test_a_provider_without_data_becomes_ready_when_data_arrives(
    server: Server, settings: remora.Settings, events: Next
) -> None:
    server.down()
    api.set_provider(RemoraProvider(settings, timeout=5))
    assert "the source has no data" in (events(ERROR).message or "")
    server.up()
    settings.refresh(5, force=True)
    events(READY)
    assert api.get_client().get_boolean_details("on", False).reason == Reason.STATIC


def test_data_of_an_earlier_run_has_the_reason_cached_until_a_refresh_confirms_it(
    server: Server, storage: Path
) -> None:
    with remora.Client(storage, transport=server) as first:
        first.settings(URL, fetch_at_open=False, activation="immediate").refresh(5)
    with remora.Client(storage, transport=server) as second:
        settings = second.settings(URL, fetch_at_open=False, activation="immediate")
        api.set_provider_and_wait(RemoraProvider(settings))
        client = api.get_client()
        details = client.get_boolean_details("on", False)
        assert (details.value, details.reason, details.flag_metadata["origin"]) == (True, Reason.CACHED, "cached")
        confirmed = threading.Event()
        with settings.subscribe(lambda _: confirmed.set()):
            settings.refresh(5, force=True)
            assert confirmed.wait(5)
        assert client.get_boolean_details("on", False).reason == Reason.STATIC
        api.clear_providers()


def test_data_of_an_earlier_run_stays_cached_after_a_response_that_is_not_newer(server: Server, storage: Path) -> None:
    publish_bundle(server, 2, menu=True)
    with remora.Client(storage, transport=server) as first:
        first.bundle(BUNDLE_URL, fetch_at_open=False).refresh(5)
    publish_bundle(server, 1, menu=False)
    with remora.Client(storage, transport=server) as second:
        bundle = second.bundle(BUNDLE_URL, fetch_at_open=False)
        api.set_provider_and_wait(RemoraProvider(bundle, path=("web", "features", "f")))
        assert bundle.refresh(5, force=True) is remora.Outcome.NOT_NEWER
        details = api.get_client().get_boolean_details("menu", False)
        assert (details.value, details.reason) == (True, Reason.CACHED)
        api.clear_providers()


def test_a_closed_source_is_an_error_and_not_an_exception(settings: remora.Settings, client: OpenFeatureClient) -> None:
    settings.close()
    details = client.get_boolean_details("on", False)
    assert (details.value, str(details.error_code)) == (False, "PROVIDER_NOT_READY")
    with pytest.raises(Exception, match="closed"):
        api.set_provider_and_wait(RemoraProvider(settings))


@pytest.mark.parametrize("wrong", [{"source": 5}, {"path": "web"}])
def test_a_wrong_argument_is_refused(settings: remora.Settings, wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(wrong))):
        RemoraProvider(**{"source": settings, **wrong})
