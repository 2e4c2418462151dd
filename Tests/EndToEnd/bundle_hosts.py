# SPDX-License-Identifier: Apache-2.0
#
# What the tests of bundles share: hosts that open one, and looks at what they have.
"""Hosts of bundles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.driver import Answer, Driver
from EndToEnd.hosts import Hosts
from Servers.bundle_server import BundleServer, element
from Servers.static_server import StaticServer

SHORT_MS = 300

ON_BOTH_SERVERS = pytest.mark.parametrize("bundles", ["recording", "nginx"], indirect=True)
"""Marks a test of StaticBundleHosts about hosting: it runs with either server of static documents."""

ON_NGINX_TOO = pytest.mark.parametrize(
    "bundles", ["recording", pytest.param("nginx", marks=pytest.mark.slow)], indirect=True
)
"""Marks a test of StaticBundleHosts that nginx does not change: make test-all repeats it with that server."""


class StaticBundleHosts:
    """Starts hosts that open bundles, over the storage of one test."""

    def __init__(self, hosts: Hosts, server: StaticServer, directory: Path) -> None:
        self._hosts = hosts
        self._directory = directory
        self.server = server

    @property
    def storage(self) -> Path:
        """Where they store what they fetch."""
        return self._hosts.storage

    def setup(self, storage: object = None) -> Driver:
        """A host with a client, and its log."""
        host = self._hosts.start()
        host.succeed("setup", dir=storage or self._hosts.storage, log=2)
        return host

    def open(
        self, *, defaults: object = None, url: str | None = None, storage: object = None, **options: object
    ) -> Driver:
        """A host with an open bundle; `defaults` become JSON."""
        host = self.setup(storage)
        answer = self.try_open(host, defaults=defaults, url=url or self.server.url(), **options)
        assert answer["status"] == "REMORA_OK", answer
        return host

    def try_open(self, host: Driver, *, defaults: object = None, **options: object) -> Answer:
        """Opens a bundle, perhaps in vain."""
        path = None
        if defaults is not None:
            path = self._directory / "defaults.json"
            path.write_text(defaults if isinstance(defaults, str) else json.dumps(defaults))
        return host.run("open-bundle", defaults=path, **options)


class BundleHosts(StaticBundleHosts):
    """The same with a server that answers as a test says."""

    server: BundleServer


def told(host: Driver) -> tuple[str, str, int]:
    """The next event as cause or outcome, origin and version."""
    event = host.event()
    what = event["outcome"] if event["cause"] == "refreshed" else event["cause"]
    return (what, event["origin"], event["version"])


def nothing_is_told(host: Driver) -> bool:
    """Whether no event comes for a moment."""
    return bool(host.run("event", SHORT_MS)["status"] == "REMORA_ERR_TIMEOUT")


def namespaces(host: Driver) -> list[str]:
    """Those of the live bundle, in its order."""
    return [one["name"] for one in host.succeed("namespaces")["namespaces"] if one["in_bundle"]]


def active(host: Driver) -> list[str]:
    """All that are live."""
    return [one["name"] for one in host.succeed("namespaces")["namespaces"]]


def text(host: Driver, namespace: str, pointer: str) -> str:
    """A string, or "none"."""
    return str(host.succeed("get", "string", namespace, pointer, "none")["value"])


def number(host: Driver, namespace: str, pointer: str) -> int:
    """An integer, or -1."""
    return int(host.succeed("get", "int", namespace, pointer, "-1")["value"])


def warnings(host: Driver) -> list[str]:
    """The log so far."""
    lines: list[str] = []
    while (line := host.run("log", SHORT_MS))["status"] == "REMORA_OK":
        lines.append(line["message"])
    return lines


def value(host: Driver, namespace: str) -> dict[str, Any]:
    """The element of a namespace."""
    return dict(host.succeed("json", namespace)["json"])


def fetch(bundles: StaticBundleHosts, version: int, *elements: dict[str, object]) -> None:
    """Caches a bundle."""
    bundles.server.publish(version, *(elements or (element("A"),)))
    host = bundles.open(fetch="no")
    assert host.refresh()["outcome"] == "updated"
    assert host.end() == 0
