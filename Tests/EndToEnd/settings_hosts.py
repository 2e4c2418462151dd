# SPDX-License-Identifier: Apache-2.0
#
# What the tests of settings share: hosts that open them, and looks at what they have.
"""Hosts of settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.clock import Clock
from EndToEnd.driver import REFRESH_MS, Answer, Driver
from EndToEnd.hosts import Hosts
from Servers.bundle_server import BundleServer
from Servers.loopback import Request
from Servers.static_server import StaticServer

PATH = "/settings"

ON_BOTH_SERVERS = pytest.mark.parametrize("settings", ["recording", "nginx"], indirect=True)
"""Marks a test of StaticSettingsHosts about hosting: it runs with either server of static documents."""

ON_NGINX_TOO = pytest.mark.parametrize(
    "settings", ["recording", pytest.param("nginx", marks=pytest.mark.slow)], indirect=True
)
"""Marks a test of StaticSettingsHosts that nginx does not change: make test-all repeats it with that server."""


class StaticSettingsHosts:
    """Starts hosts that open settings, over the storage of one test."""

    def __init__(self, hosts: Hosts, server: StaticServer, directory: Path) -> None:
        self._hosts = hosts
        self._directory = directory
        self.server = server

    @property
    def storage(self) -> Path:
        """Where they store what they fetch."""
        return self._hosts.storage

    def say(self, **values: object) -> None:
        """From now on the server answers with this dictionary."""
        self.server.say(json.dumps(values).encode(), PATH)

    def requests(self) -> list[Request]:
        """All that came for the settings."""
        return [one for one in self.server.requests if one.path == PATH]

    def host(self, clock: Clock | None = None) -> Driver:
        """A host without a client."""
        return self._hosts.start(clock)

    def setup(self, clock: Clock | None = None) -> Driver:
        """A host with a client, and its log."""
        host = self.host(clock)
        host.succeed("setup", dir=self._hosts.storage, log=2)
        return host

    def open(
        self,
        *params: str,
        tag: str | None = None,
        fetch: str | None = "no",
        clock: Clock | None = None,
        **options: object,
    ) -> Driver:
        """A host with open settings that fetches nothing by itself, unless `fetch` is None."""
        host = self.setup(clock)
        answer = self.try_open(host, *params, tag=tag, fetch=fetch, **options)
        assert answer["status"] == "REMORA_OK", answer
        return host

    def try_open(self, host: Driver, *params: str, tag: str | None = None, **options: object) -> Answer:
        """Opens settings, perhaps in vain; `params` are NAME/VALUE."""
        path = None
        if tag is not None:
            path = self._directory / "tag"
            path.write_text(tag)
        options.setdefault("url", self.server.url(PATH))
        return host.run("open-settings", *[f"param={one}" for one in params], tag=path, **options)

    def fetch(self, *params: str, **options: Any) -> None:
        """An earlier run stores what the server says."""
        host = self.open(*params, **options)
        host.succeed("refresh", REFRESH_MS)
        assert host.end() == 0


class SettingsHosts(StaticSettingsHosts):
    """The same with a server that answers as a test says."""

    server: BundleServer


def number(host: Driver, key: str = "a") -> int:
    """An integer that is live, or -1."""
    return int(host.succeed("get", "int", key, None, "-1")["value"])


def why_not(host: Driver, kind: str, key: str) -> str:
    """What the getter says that has no default: REMORA_OK with a value."""
    return str(host.run("has", kind, key)["status"])


def nothing_is_told(host: Driver) -> bool:
    """Whether no event waits."""
    return bool(host.run("event", 0)["status"] == "REMORA_ERR_TIMEOUT")
