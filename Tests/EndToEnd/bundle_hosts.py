# SPDX-License-Identifier: Apache-2.0
"""Hosts that open bundles."""

from __future__ import annotations

import logging
from typing import Any

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts
from Servers.bundle_server import BundleServer, element
from Servers.static_server import StaticServer

SHORT = 0.3
"""Seconds without an event or a line after which no other is expected."""


class StaticBundleHosts:
    """Starts hosts that open bundles, over the storage of one test."""

    def __init__(self, hosts: Hosts, server: StaticServer) -> None:
        self._hosts = hosts
        self.storage = hosts.storage
        self.server = server

    def publish(self, version: object, *elements: object, **options: Any) -> StaticBundleHosts:
        """From now on the server answers with this bundle."""
        self.server.publish(version, *elements, **options)
        return self

    def setup(self, **options: Any) -> Driver:
        """Starts a host with a client, and its log."""
        return self._hosts.setup(log=logging.WARNING, **options)

    def open(
        self, url: str | None = None, *, storage: Any = None, after: Driver | None = None, **options: object
    ) -> Driver:
        """Starts a host with an open bundle, whose events are queued."""
        host = self.setup(storage=storage, after=after)
        host.succeed("open", "bundle", url or self.server.url(), on_event=True, **options)
        return host

    def opened(self, *expected: str, **options: Any) -> Driver:
        """Starts a host with an open bundle that is notified of these causes or outcomes."""
        host = self.open(**options)
        assert [told(host)[0] for _ in expected] == list(expected)
        return host

    def update(self, host: Driver, version: object, *elements: object, **options: Any) -> None:
        """Publishes a bundle, which a host must receive as newer."""
        self.publish(version, *elements, **options)
        host.update()


class BundleHosts(StaticBundleHosts):
    """The same with a server that answers as a test says."""

    server: BundleServer


def told(host: Driver) -> tuple[str, str, int]:
    """The next event as cause or outcome, origin and version."""
    event = host.event()
    what = event["outcome"] if event["cause"] == "refreshed" else event["cause"]
    return (what, event["origin"], event["version"])


def namespaces(host: Driver) -> list[str]:
    """The namespaces of the live bundle, in its order."""
    return [one["name"] for one in host.succeed("namespaces")["value"] if one["in_bundle"]]


def active(host: Driver) -> list[str]:
    """All live namespaces."""
    return [one["name"] for one in host.succeed("namespaces")["value"]]


def fetch(bundles: StaticBundleHosts, version: int, *elements: dict[str, object]) -> None:
    """Caches a bundle."""
    bundles.server.publish(version, *(elements or (element("A"),)))
    host = bundles.open(fetch_at_open=False)
    host.update()
    assert host.end() == 0
