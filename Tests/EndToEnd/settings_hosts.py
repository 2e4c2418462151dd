# SPDX-License-Identifier: Apache-2.0
"""Hosts that open settings."""

from __future__ import annotations

import json
import logging
import os
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import remora

from EndToEnd.driver import Clock, Driver
from EndToEnd.host import LIMIT, OK, Answer, plain
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


class Installer:
    """Saves seeds of settings, in another process than the hosts: in that of the test."""

    def __init__(self, settings: SettingsHosts, directory: Path) -> None:
        self._settings = settings
        self.file = directory / "download.json"

    def seed(self, *, storage: Path | None = None, source: dict[str, Any] | None = None, **client: Any) -> remora.Seed:
        """Makes the seed of a source, by default of the settings without parameters."""
        options = {"url": self._settings.server.url(PATH), **(source or {})}
        return remora.Installer(storage or self._settings.storage, **client).settings(**options)

    def try_save(self, content: bytes, *, age: int = 0, fetched_at: datetime | None = None, **options: Any) -> Answer:
        """Saves what was downloaded so many seconds ago, which may fail."""
        self.file.write_bytes(content)
        then = time.time() - age
        os.utime(self.file, (then, then))
        try:
            self.seed(**options).save(self.file, fetched_at=fetched_at)
        except remora.Error as error:
            return Answer(plain(error))
        return {"status": OK}

    def save(self, *, age: int = 0, source: dict[str, object] | None = None, **values: object) -> None:
        """Saves a dictionary."""
        answer = self.try_save(json.dumps(values).encode(), age=age, source=source)
        assert answer["status"] == OK, answer

    @property
    def seeds(self) -> list[Path]:
        """The files of seeds that no process has used yet."""
        return sorted(self._settings.storage.glob("*.seed"))
