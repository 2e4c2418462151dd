# SPDX-License-Identifier: Apache-2.0
#
# Conformance cases of bundles, each under its number: where a host fetches from, and what its disk does to it.
# "vN" is a bundle of version N.
"""Remote configurations: URLs, clients and caches."""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from EndToEnd.bundle_hosts import SHORT, BundleHosts, StaticBundleHosts, active, fetch, namespaces, told
from EndToEnd.hosts import ON_NGINX_TOO
from Servers.bundle_server import bundle, element


def test_s34_a_refresh_before_a_bundle_is_opened_or_after_the_client_is_closed_is_an_error(
    bundles: BundleHosts,
) -> None:
    library = ctypes.CDLL(os.environ["REMORA_LIBRARY"])  # In Python there is no source to refresh.
    library.remora_status_name.restype = ctypes.c_char_p
    status = library.remora_refresh(None, None, ctypes.c_int64(-1), None, None)
    assert library.remora_status_name(status) == b"REMORA_ERR_INVALID_ARGUMENT"
    host = bundles.open(fetch_at_open=False)
    host.succeed("close")
    assert host.refresh()["status"] == "REMORA_ERR_CLOSED"
    assert host.is_silent(SHORT)
    assert bundles.server.requests == []


@ON_NGINX_TOO
def test_s35_a_bundle_does_not_use_the_cache_of_a_bundle_with_another_url(bundles: StaticBundleHosts) -> None:
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
def test_s37_a_damaged_cache_is_replaced_by_the_default_bundle(bundles: BundleHosts, damage: str) -> None:
    fetch(bundles, 2)
    (image,) = images(bundles)
    image.write_bytes(DAMAGES[damage](image.read_bytes()))
    bundles.server.stop()
    host = bundles.open(default=[element("D")])
    event = host.event()
    assert (event["cause"], event["origin"]) == ("opened", "default")
    assert event["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
    assert told(host)[0] == "failed"
    bundles.server.start()
    bundles.server.publish(2, element("A"))
    assert host.refresh()["outcome"] == "updated"
    assert namespaces(host) == ["A"]


@pytest.mark.parametrize("disk", ["full_disk", "read_only_directory"])
def test_s38_if_the_disk_cannot_be_written_a_fetched_bundle_is_used_but_not_cached(
    request: pytest.FixtureRequest, bundles: BundleHosts, disk: str
) -> None:
    host = bundles.publish(2, element("A")).open(storage=request.getfixturevalue(disk))
    event = host.event()
    assert (event["outcome"], event["origin"]) == ("updated", "fetched")
    assert event["storage_error"]["status"] == "REMORA_ERR_STORAGE"
    assert namespaces(host) == ["A"]
    bundles.update(host, 3, element("B"))
    assert namespaces(host) == ["B"]


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost"])
def test_s40_a_bundle_url_without_a_scheme_is_requested_over_https(bundles: BundleHosts, address: str) -> None:
    host = bundles.open(url=bundles.server.url().replace("http://127.0.0.1", address))
    assert host.event()["error"]["status"] == "REMORA_ERR_TLS"
    assert bundles.server.requests == []


@pytest.mark.parametrize("method", ["get", "post"])
def test_s41_a_bundle_is_requested_with_the_configured_http_method(bundles: BundleHosts, method: str) -> None:
    assert told(bundles.publish(1, element("A")).open(method=method)) == ("updated", "fetched", 1)
    (request,) = bundles.server.requests
    assert (request.method, request.body) == (method.upper(), b"")
    assert request.headers.get("content-length") == ("0" if method == "post" else None)
    assert "content-type" not in request.headers


def images(bundles: StaticBundleHosts) -> list[Path]:
    """The files of what is cached."""
    files = (path for path in bundles.storage.rglob("*") if path.is_file())
    return [file for file in files if file.read_bytes().startswith(b"REMORAIM")]
