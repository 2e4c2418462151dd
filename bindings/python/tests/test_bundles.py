# SPDX-License-Identifier: Apache-2.0
"""Bundles: documents of namespaces, with defaults."""

from __future__ import annotations

import asyncio
import json
import math
import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from conftest import SECONDS
from Servers.bundle_server import BundleServer, element, removal
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

Namespaces = list[tuple[str, bool, bool, str]]

DEFAULT = [
    element("app", tracker={"appId": "default", "sessionContext": True}),
    element("other"),
]


@pytest.fixture
def bundles() -> Iterator[BundleServer]:
    with BundleServer() as running:
        yield running
        running.stop()


def shown(namespaces: tuple[remora.Namespace, ...]) -> Namespaces:
    return [(one.name, one.in_bundle, one.is_default, one.origin.name) for one in namespaces]


def test_the_values_of_the_default_bundle_are_read_until_a_bundle_is_fetched(
    host: remora.Client, bundles: BundleServer
) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = host.bundle(bundles.url(), default=DEFAULT, default_version=3, fetch_at_open=False, on_event=events.put)
    app: Any = source["app"]
    assert app["networkConfiguration"]["endpoint"] == "https://app.example"
    assert source.get_str("app", "/trackerConfiguration/appId") == "default"
    event = events.get(timeout=SECONDS)
    assert (event.cause, event.origin, event.version) == (remora.Cause.OPENED, remora.Origin.DEFAULT, 3)
    assert source.info().origin is remora.Origin.DEFAULT and bundles.requests == []
    assert shown(source.namespaces()) == [("app", True, True, "DEFAULT"), ("other", True, False, "DEFAULT")]


@pytest.mark.parametrize(
    "default",
    [
        DEFAULT,
        {"configurationBundle": DEFAULT},
        json.dumps(DEFAULT),
        json.dumps({"configurationVersion": 1, "configurationBundle": DEFAULT}),
    ],
    ids=["list", "mapping", "text of a list", "text of a bundle"],
)
def test_the_default_bundle_can_be_a_list_a_mapping_or_json_text(host: remora.Client, default: Any) -> None:
    source = host.bundle(default=default)
    assert list(source) == ["app", "other"] and source["app"] == DEFAULT[0]


def test_a_callback_can_read_the_namespaces_of_a_bundle_from_the_source_of_its_event(
    host: remora.Client, bundles: BundleServer
) -> None:
    seen: queue.SimpleQueue[str] = queue.SimpleQueue()

    def on_event(event: remora.Event) -> None:
        assert event.source is not None
        seen.put(" ".join(one.name + "?" * (not one.in_bundle) for one in event.source.namespaces(event.new)))

    source = host.bundle(bundles.url(), default=DEFAULT, fetch_at_open=False, on_event=on_event)
    assert seen.get(timeout=SECONDS) == "app other"
    bundles.publish(1, element("b"), element("app"))
    source.refresh(SECONDS)
    assert seen.get(timeout=SECONDS) == "b app other?"
    bundles.publish(2, removal("b"), element("c"))
    source.refresh(SECONDS)
    assert seen.get(timeout=SECONDS) == "c app? other?"


def test_a_retained_event_returns_its_source_as_long_as_the_source_exists(host: remora.Client) -> None:
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = host.bundle(default=DEFAULT)
    kept = source.subscribe(events.put, replay=True)
    event = events.get(timeout=SECONDS)
    assert event.source is source
    kept.close()
    del source, kept
    assert event.source is None and list(event.new) == ["app", "other"]


def test_opening_a_bundle_starts_a_refresh_and_fetched_values_take_precedence_over_defaults(
    host: remora.Client, bundles: BundleServer
) -> None:
    bundles.publish(5, element("app", tracker={"appId": "fetched"}))
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = host.bundle(bundles.url(), default=DEFAULT, default_version=4, on_event=events.put)
    assert events.get(timeout=SECONDS).origin is remora.Origin.DEFAULT
    event = events.get(timeout=SECONDS)
    assert (event.outcome, event.origin, event.version) == (remora.Outcome.UPDATED, remora.Origin.FETCHED, 5)
    assert source.get_str("app", "/trackerConfiguration/appId") == "fetched"
    assert source.get_bool("app", "/trackerConfiguration/sessionContext") is True, "it is inherited"
    assert shown(source.namespaces(event.new)) == [("app", True, True, "FETCHED"), ("other", False, False, "DEFAULT")]
    assert source.refresh(SECONDS) is remora.Outcome.UNCHANGED


def test_an_event_has_a_configuration_if_a_bundle_became_active(host: remora.Client, bundles: BundleServer) -> None:
    bundles.publish(5, element("app"), element("more"))
    events: queue.SimpleQueue[remora.Event] = queue.SimpleQueue()
    source = host.bundle(bundles.url(), default=DEFAULT, default_version=4, on_event=events.put, fetch_at_open=False)
    opened = events.get(timeout=SECONDS).configuration
    assert opened is not None and (opened.state, opened.namespaces) == (remora.Origin.DEFAULT, ("app", "other"))
    source.refresh(SECONDS)
    fetched = events.get(timeout=SECONDS).configuration
    assert repr(fetched) == "Configuration(namespaces=('app', 'more'), state=Origin.FETCHED)"
    source.overrides["app", "/x"] = 1
    assert events.get(timeout=SECONDS).configuration is None
    source.refresh(SECONDS)
    assert events.get(timeout=SECONDS).configuration is None


def test_a_fetched_bundle_is_not_used_if_its_version_is_not_higher_than_that_of_the_default_bundle(
    host: remora.Client, bundles: BundleServer
) -> None:
    bundles.publish(4, element("app", tracker={"appId": "fetched"}))
    source = host.bundle(bundles.url(), default=DEFAULT, default_version=4, fetch_at_open=False)
    assert source.refresh(SECONDS) is remora.Outcome.NOT_NEWER
    assert source.get_str("app", "/trackerConfiguration/appId") == "default"


@pytest.mark.parametrize("version", [None, 0])
def test_none_or_zero_for_the_option_default_version_means_the_version_that_the_default_bundle_states(
    host: remora.Client, version: int | None
) -> None:
    default = {"configurationVersion": 7, "configurationBundle": DEFAULT}
    assert host.bundle(default=default, default_version=version).info().version == 7


def test_an_override_survives_a_refresh_until_a_bundle_removes_its_namespace(
    host: remora.Client, bundles: BundleServer
) -> None:
    source = host.bundle(bundles.url(), default=DEFAULT, fetch_at_open=False)
    source.overrides["app", "/subjectConfiguration/userId"] = "me"
    source.overrides["mine"] = {"a": 1}
    bundles.publish(1, element("app", subject={"userId": "theirs"}), element("other"))
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert source.get_str("app", "/subjectConfiguration/userId") == "me"
    assert shown(source.namespaces()) == [
        ("app", True, True, "OVERRIDE"),
        ("other", True, False, "FETCHED"),
        ("mine", False, False, "OVERRIDE"),
    ]
    bundles.publish(2, removal("app"), element("other"))
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert "app" not in source and list(source.overrides) == [("mine", "")]
    assert [name for name, *_ in shown(source.namespaces())] == ["other", "mine"]


def test_a_bundle_that_one_client_fetched_is_read_from_the_cache_by_the_next_client(
    bundles: BundleServer, tmp_path: Path
) -> None:
    bundles.publish(7, element("app"))
    for origin in (remora.Origin.DEFAULT, remora.Origin.CACHED):
        with remora.Client(tmp_path) as client:
            source = client.bundle(bundles.url(), name="cached", default=DEFAULT, fetch_at_open=False)
            assert source.info().origin is origin
            source.refresh(SECONDS)
    assert source.closed


@pytest.mark.parametrize("method", ["post", remora.Method.POST])
def test_a_bundle_can_be_requested_with_the_method_post(
    host: remora.Client, bundles: BundleServer, method: Any
) -> None:
    bundles.publish(1, element("app"))
    source = host.bundle(bundles.url(), method=method, fetch_at_open=False)
    assert source.refresh(SECONDS) is remora.Outcome.UPDATED
    assert [request.method for request in bundles.requests] == ["POST"]


def test_a_bundle_with_a_schema_that_the_program_configures_is_accepted(
    host: remora.Client, bundles: BundleServer
) -> None:
    bundles.publish(1, element("app"), schema="https://schemas.example/mine/2-1-0")
    with pytest.raises(remora.FormatError):
        host.bundle(bundles.url(), fetch_at_open=False).refresh(SECONDS)
    own = host.bundle(bundles.url(), accepted_schema="schemas.example/mine/2", fetch_at_open=False)
    assert own.refresh(SECONDS) is remora.Outcome.UPDATED


def test_a_bundle_without_a_url_sends_no_request(host: remora.Client) -> None:
    one, two = host.bundle(default=DEFAULT), host.bundle(name="two")
    assert len(one) == 2 and two.namespaces() == () and two.info().origin is remora.Origin.NONE
    with pytest.raises(remora.InvalidArgumentError):
        one.refresh(SECONDS)


def test_a_namespace_object_is_read_only_and_its_repr_shows_its_fields(host: remora.Client) -> None:
    (app, _) = host.bundle(default=DEFAULT).namespaces()
    assert repr(app).startswith("Namespace(in_bundle=True, is_default=True, name='app', origin=Origin.DEFAULT")
    with pytest.raises(AttributeError):
        app.name = "b"


def test_only_a_bundle_has_namespaces(host: remora.Client, server: V2Server, collection: Collection) -> None:
    source = host.bundle(default=DEFAULT)
    with pytest.raises(TypeError, match="snapshot"):
        source.namespaces("live")  # type: ignore[arg-type]
    with remora.Client.in_memory(server=server.url) as client, pytest.raises(remora.InvalidArgumentError):
        client.collection(collection.name, trust="off").namespaces()
    source.close()
    with pytest.raises(remora.ClosedError):
        source.namespaces()


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"url": 5}, TypeError, "url"),
        ({"url": "http://a\0"}, ValueError, "url"),
        ({"url": "ftp://example.org/"}, remora.InvalidArgumentError, "url"),
        ({"name": b"x"}, TypeError, "name"),
        ({"method": "put"}, ValueError, "method"),
        ({"method": 1}, TypeError, "method"),
        ({"accepted_schema": 1}, TypeError, "accepted_schema"),
        ({"default": 5}, TypeError, "default"),
        ({"default": b"[]"}, TypeError, "default"),
        ({"default": [object()]}, TypeError, "default"),
        ({"default": [math.nan]}, ValueError, "default"),
        ({"default": "[]\0"}, ValueError, "default"),
        ({"default": "[,]"}, remora.ParseError, "default"),
        ({"default": [{"namespace": 5}]}, remora.FormatError, "namespace"),
        ({"default_version": "1"}, TypeError, "default_version"),
        ({"default_version": True}, TypeError, "default_version"),
        ({"default_version": False}, TypeError, "default_version"),
        ({"default_version": -1}, ValueError, "default_version"),
        ({"default_version": 1 << 63}, ValueError, "default_version"),
        ({"refresh_interval": "1"}, TypeError, "refresh_interval"),
        ({"refresh_interval": 0}, ValueError, "refresh_interval"),
        ({"on_event": 5}, TypeError, "callback"),
        ({"trust": "off"}, TypeError, "trust"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_option_of_a_bundle_names_the_option(
    host: remora.Client, options: Any, error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        host.bundle(**options)


def test_a_closed_client_opens_no_bundle(host: remora.Client) -> None:
    host.close()
    with pytest.raises(remora.ClosedError):
        host.bundle(default=DEFAULT)


def test_a_sync_requests_only_the_bundles_that_have_a_url(host: remora.Client, bundles: BundleServer) -> None:
    bundles.publish(1, element("app"))
    fetched, local = host.bundle(bundles.url(), fetch_at_open=False), host.bundle(default=DEFAULT)
    report = host.sync(SECONDS)
    assert (report.total, report.updated, report.failed) == (1, 1, 0)
    assert len(fetched) == 1 and len(local) == 2


def test_with_manual_dispatch_a_callback_can_read_the_namespaces_of_its_event(bundles: BundleServer) -> None:
    bundles.publish(1, element("app"), element("b"))
    seen: list[tuple[str, list[str]]] = []

    def note(event: remora.Event) -> None:
        seen.append((event.origin.name, [one.name for one in source.namespaces(event.new)]))

    with remora.Client.in_memory(dispatch="manual") as client:
        source = client.bundle(bundles.url(), default=[element("app")], on_event=note)
        source.refresh(SECONDS)
        client.dispatch()
        assert seen[0] == ("DEFAULT", ["app"]) and seen[-1] == ("FETCHED", ["app", "b"])


def test_a_bundle_is_opened_refreshed_and_overridden_in_asyncio(bundles: BundleServer) -> None:
    bundles.publish(1, element("app", subject={"userId": "theirs"}))

    async def scene() -> None:
        seen: asyncio.Queue[remora.Event] = asyncio.Queue()
        async with remora.aio.Client.in_memory() as client:
            source = client.bundle(bundles.url(), default=DEFAULT, fetch_at_open=False, on_event=seen.put_nowait)
            assert (await asyncio.wait_for(seen.get(), SECONDS)).origin is remora.Origin.DEFAULT
            await source.set_override(("app", "/subjectConfiguration/userId"), "me")
            assert await source.refresh(SECONDS) is remora.Outcome.UPDATED
            assert source.get_str("app", "/subjectConfiguration/userId") == "me"
            assert shown(source.namespaces()) == [("app", True, True, "OVERRIDE"), ("other", False, False, "DEFAULT")]
            with pytest.raises(TypeError, match="default"):
                client.bundle(default=5)  # type: ignore[arg-type]

    asyncio.run(scene(), debug=True)
