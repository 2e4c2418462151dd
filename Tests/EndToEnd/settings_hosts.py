# SPDX-License-Identifier: Apache-2.0
"""Hosts that open settings."""

from __future__ import annotations

import json
import logging
from typing import Any

from EndToEnd.clock import Clock
from EndToEnd.driver import Driver
from EndToEnd.host import LIMIT, OK, Answer
from EndToEnd.hosts import Hosts
from Servers.bundle_server import BundleServer
from Servers.loopback import Request
from Servers.static_server import StaticServer

PATH = "/settings"


class StaticSettingsHosts:
    """Starts hosts that open settings, over the storage of one test."""

    def __init__(self, hosts: Hosts, server: StaticServer) -> None:
        self.hosts = hosts
        self.storage = hosts.storage
        self.server = server

    def say(self, **values: object) -> StaticSettingsHosts:
        """From now on the server answers with this dictionary."""
        self.server.say(json.dumps(values).encode(), PATH)
        return self

    def requests(self) -> list[Request]:
        """All requests for the settings."""
        return [one for one in self.server.requests if one.path == PATH]

    def open(self, *, after: Driver | None = None, clock: Clock | None = None, **options: object) -> Driver:
        """Starts a host with open settings, which are not fetched at the opening by default."""
        host = self.hosts.setup(after=after, clock=clock, log=logging.WARNING)
        answer = self.try_open(host, **{"fetch_at_open": False, **options})
        assert answer["status"] == OK, answer
        return host

    def updated(self, **options: Any) -> Driver:
        """Starts a host with open settings that has received newer ones."""
        host = self.open(**options)
        host.update()
        return host

    def try_open(self, host: Driver, **options: object) -> Answer:
        """Opens settings in a host, which may fail."""
        return host.run("open", "settings", **{"url": self.server.url(PATH), **options})

    def fetch(self, **options: Any) -> StaticSettingsHosts:
        """Stores what the server answers, by a host that ends."""
        host = self.open(**options)
        host.succeed("refresh", LIMIT)
        assert host.end() == 0
        return self


class SettingsHosts(StaticSettingsHosts):
    """The same with a server that answers as a test says."""

    server: BundleServer
