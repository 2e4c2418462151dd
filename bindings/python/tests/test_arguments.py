# SPDX-License-Identifier: Apache-2.0
"""Bad arguments: a clear exception, and nothing happened."""

from __future__ import annotations

import asyncio
import copy
import math
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import remora
import remora.aio
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

TEXTS = ["application_name", "application_version", "application_build", "server", "bucket", "proxy", "user_agent"]
PATHS = ["ca_file"]
DURATIONS = ["connect_timeout", "stall_timeout", "total_timeout"]


def test_a_client_without_a_storage_directory_is_an_error_that_names_the_client_in_memory() -> None:
    directory: Any = None
    with pytest.raises(TypeError, match=r"^storage_dir must be a path, not None: remora.Client.in_memory\(\) "):
        remora.Client(directory)

    async def main() -> None:
        with pytest.raises(TypeError, match=r"remora.aio.Client.in_memory\(\) creates a client that stores nothing"):
            remora.aio.Client(directory)

    asyncio.run(main())


def test_a_client_in_memory_keeps_data_until_it_is_closed_and_stores_nothing(
    collection: Collection, server: V2Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with remora.Client.in_memory(server=server.url) as client:
        source = client.collection(collection.name, trust="off")
        source.refresh(30)
        assert source.at("banner", "text") == "Hi"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", TEXTS)
@pytest.mark.parametrize("value", [5, b"x", ["x"]], ids=repr)
def test_an_option_that_is_not_a_str_is_a_type_error(option: str, value: Any) -> None:
    with pytest.raises(TypeError, match=option):
        remora.Client.in_memory(**{option: value})


@pytest.mark.parametrize("option", TEXTS + PATHS)
@pytest.mark.parametrize("value", ["a\0b"], ids=ascii)
def test_an_option_that_contains_u0000_is_a_value_error(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=option):
        remora.Client.in_memory(**{option: value})


@pytest.mark.parametrize("option", TEXTS)
def test_an_option_that_contains_a_lone_surrogate_is_a_value_error(option: str) -> None:
    options: Any = {option: "\ud800"}
    with pytest.raises(ValueError, match=option):
        remora.Client.in_memory(**options)


@pytest.mark.parametrize("option", DURATIONS)
@pytest.mark.parametrize("value", ["1", b"1", True, [1]], ids=repr)
def test_an_option_with_a_duration_that_is_not_a_number_is_a_type_error(option: str, value: Any) -> None:
    with pytest.raises(TypeError, match=option):
        remora.Client.in_memory(**{option: value})


@pytest.mark.parametrize("option", DURATIONS)
@pytest.mark.parametrize("value", [-1, 0, math.nan, -math.inf, 1e300])
def test_an_option_with_a_zero_negative_nan_or_too_large_duration_is_a_value_error(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=option):
        remora.Client.in_memory(**{option: value})


@pytest.mark.parametrize("option", DURATIONS)
@pytest.mark.parametrize("value", [None, 1, 0.0001, math.inf])
def test_an_option_with_a_duration_can_be_none_a_positive_number_or_infinity(option: str, value: Any) -> None:
    remora.Client.in_memory(**{option: value}).close()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_body_bytes": 1.5}, TypeError),
        ({"max_body_bytes": True}, TypeError),
        ({"max_body_bytes": 0}, ValueError),
        ({"max_body_bytes": -1}, ValueError),
        ({"max_body_bytes": math.inf}, remora.InvalidArgumentError),
        ({"max_body_bytes": 1 << 64}, ValueError),
        ({"max_body_bytes": 1 << 40}, remora.InvalidArgumentError),
        ({"headers": "A: b"}, TypeError),
        ({"headers": {"A": 5}}, TypeError),
        ({"headers": [("A", "b\0")]}, ValueError),
        ({"headers": [("A", "b\r\nC: d")]}, remora.InvalidArgumentError),
        ({"server": "no url"}, remora.InvalidArgumentError),
        ({"dispatch": "never"}, ValueError),
        ({"unknown": 1}, TypeError),
        ({"ca_file": 5}, TypeError),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_option_of_a_client_names_the_option(options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        remora.Client.in_memory(**options)


@pytest.mark.parametrize("directory", [5, b"/tmp/remora", 1.5, ["/tmp"]], ids=repr)
def test_a_storage_directory_that_is_not_a_path_is_a_type_error(directory: Any) -> None:
    with pytest.raises(TypeError, match="storage_dir"):
        remora.Client(directory)


def test_a_storage_directory_can_be_a_str_or_a_path_object(tmp_path: Path) -> None:
    for directory in (tmp_path / "path", f"{tmp_path}/日本"):
        remora.Client(directory).close()
        assert os.path.isdir(directory)
    with pytest.raises(ValueError, match="storage_dir"):
        remora.Client(os.fsdecode(b"not-utf8-\xff"))


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        (5, {}, TypeError),
        (None, {}, TypeError),
        (b"demo", {}, TypeError),
        ("a\0b", {}, ValueError),
        ("\ud800", {}, ValueError),
        ("no name", {}, remora.InvalidArgumentError),
        ("demo", {"trust": "perhaps"}, ValueError),
        ("demo", {"trust": 1}, TypeError),
        ("demo", {"trust": None}, TypeError),
        ("demo", {"trusted_hosts": "example.org"}, TypeError),
        ("demo", {"trusted_hosts": [5]}, TypeError),
        ("demo", {"root_sha256": "abc"}, remora.InvalidArgumentError),
        ("demo", {"previous_roots": "a" * 64}, TypeError),
        ("demo", {"previous_roots": [5]}, TypeError),
        ("demo", {"previous_roots": ["a" * 64, "abc"]}, remora.InvalidArgumentError),
        ("demo", {"previous_roots": ["a" * 64] * 9}, remora.InvalidArgumentError),
        ("demo", {"packaged_data": 5}, TypeError),
        ("demo", {"packaged_data": "{"}, remora.ParseError),
        ("demo", {"packaged_data": "{}"}, remora.FormatError),
        ("demo", {"packaged_file": "/nowhere/at/all"}, remora.StorageError),
        ("demo", {"max_future": "1"}, TypeError),
        ("demo", {"on_event": 5}, TypeError),
        ("demo", {"unknown": 1}, TypeError),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_option_of_a_collection_names_the_option(
    client: remora.Client, name: Any, options: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        client.collection(name, **options)


def test_the_options_for_headers_and_application_name_and_version_and_bucket_are_used_in_requests(
    server: V2Server,
) -> None:
    headers = {"X-Host": "tests", "Authorization": "Bearer secret"}
    options: Any = {"application_name": "tests", "application_version": "7"}
    for form in (headers, list(headers.items())):
        with remora.Client.in_memory(server=server.url, headers=form, **options) as client:
            server.collection("options", "other").publish({"a": {}})
            client.collection("options", bucket="other", trust=remora.Trust.OFF).refresh(30)
        request = server.requests[-1]
        assert request.headers["x-host"] == "tests" and request.headers["authorization"] == "Bearer secret"
        assert "tests/7" in request.headers["user-agent"] and "/buckets/other/" in request.path


CONFLICTS: list[tuple[str, Any]] = [
    ("refresh_interval is 0.1 seconds, but must be at least 1 second",
     lambda client: client.collection("c", refresh_interval=0.1)),
    ("refresh_interval must not be set for a bundle without a URL, because a refresh needs one",
     lambda client: client.bundle(refresh_interval=60)),
    ("fetch_at_open asks for a request at the opening, but the bundle has no URL",
     lambda client: client.bundle(fetch_at_open=True)),
    ("default_version must not be set without a default bundle", lambda client: client.bundle(default_version=1)),
    ("params has a parameter with an empty name", lambda client: client.settings(params={"": "a"})),
    ('params must not have the parameter "ttl_ms", which Remora adds itself',
     lambda client: client.settings(params={"ttl_ms": "a"}, tag="t", tag_item="ttl_ms")),
    ("activation must be immediate for settings of a tag",
     lambda client: client.settings(tag="t", activation="manual")),
    ("persist_overrides must be off for settings in memory, because nothing is stored",
     lambda client: client.settings(memory_only=True, persist_overrides=True)),
    ("packaged_data must not be set together with a file of packaged data",
     lambda client: client.collection("c", packaged_file="file", packaged_data="{}")),
    ("packaged_data is empty", lambda client: client.settings(packaged_data=b"")),
    ("memory_only must be off for a seed, because a seed is stored",
     lambda _: remora.Installer("/nowhere").settings("http://127.0.0.1:1/", memory_only=True).request()),
    ("collection has no seed request; the tool's command dump writes the file of a collection",
     lambda _: remora.Installer("/nowhere").collection("c").request()),
    ("pointer must not be set for the whole snapshot", lambda client: client.collection("c").snapshot().json(None, "/a")),
]  # fmt: skip


@pytest.mark.parametrize(("message", "call"), CONFLICTS, ids=[message[:40] for message, _ in CONFLICTS])
def test_an_error_about_conflicting_options_uses_the_names_of_python(
    host: remora.Client, message: str, call: Any
) -> None:
    with pytest.raises(remora.InvalidArgumentError) as raised:
        call(host)
    assert raised.value.message == message and raised.value.name == "REMORA_ERR_INVALID_ARGUMENT"


def test_packaged_data_can_be_bytes_or_str(client: remora.Client) -> None:
    text = '{"data": [{"id": "a", "last_modified": 1, "n": 1}], "timestamp": 1}'
    forms: list[str | bytes] = [text, text.encode()]
    for number, data in enumerate(forms):
        with client.collection(f"packaged-{number}", trust="off", packaged_data=data) as source:
            assert source.snapshot().origin is remora.Origin.PACKAGED and source.get_int("a", "/n") == 1


@pytest.mark.parametrize("timeout", ["1", True, [1]], ids=repr)
def test_a_refresh_or_wait_with_a_timeout_that_is_not_a_number_raises_a_type_error(
    source: remora.Source, timeout: Any
) -> None:
    for waiting in (source.refresh, source.wait):
        with pytest.raises(TypeError):
            waiting(timeout)


@pytest.mark.parametrize("timeout", [-1, -0.001, math.nan])
def test_a_refresh_or_wait_with_a_negative_or_nan_timeout_raises_a_value_error(
    source: remora.Source, timeout: float
) -> None:
    for waiting in (source.refresh, source.wait):
        with pytest.raises(ValueError):
            waiting(timeout)


@pytest.mark.parametrize("key", ["a\0b", "\ud800"], ids=ascii)
def test_subscribing_to_an_invalid_key_raises_a_value_error(source: remora.Source, key: str) -> None:
    with pytest.raises(ValueError):
        source.subscribe(print, key)


def test_a_callback_that_is_not_callable_is_a_type_error(source: remora.Source) -> None:
    callback: Any = "print"
    with pytest.raises(TypeError):
        source.subscribe(callback)
    with pytest.raises(TypeError):
        source.refresh_async(callback)


def test_clients_sources_snapshots_and_subscriptions_cannot_be_pickled_or_copied(
    client: remora.Client, source: remora.Source
) -> None:
    with source.subscribe(print) as subscription:
        for handle in (client, source, source.snapshot(), subscription):
            for copying in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError, match="cannot be pickled"):
                    copying(handle)


def test_the_info_of_a_source_is_read_only(source: remora.Source) -> None:
    info: Any = source.info()
    with pytest.raises(AttributeError):
        info.version = 1
    with pytest.raises(AttributeError):
        del info.version
    assert info.origin is remora.Origin.FETCHED and "version=" in repr(info)
