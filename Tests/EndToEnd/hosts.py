# SPDX-License-Identifier: Apache-2.0
#
# Host processes and the collections that they open: the common beginning of every test,
# as two data classes and a factory.
"""Sources on servers, and hosts that open them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from EndToEnd.driver import Clock, Driver, Forker
from Servers.kinto_server import KintoServer
from Servers.loopback import Request
from Servers.v2_collection import Collection
from Servers.v2_server import V2Server

Storage = Path | str | None

ON_BOTH_SERVERS = pytest.mark.parametrize("documents", ["recording", "nginx"], indirect=True)
"""Marks a test of bundles or settings about hosting: it runs with either server of static documents."""

ON_NGINX_TOO = pytest.mark.parametrize(
    "documents", ["recording", pytest.param("nginx", marks=pytest.mark.slow)], indirect=True
)
"""Marks a test of bundles or settings that nginx does not change: make test-all repeats it with that server."""


@dataclass(frozen=True)
class KintoSource:
    """A collection of Kinto."""

    server: KintoServer
    collection: str

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def root(self) -> str | None:
        return self.server.root_sha256

    def put(self, key: str, **fields: object) -> None:
        self.server.admin.put_record(self.collection, key, fields)

    def attach(self, key: str, file_name: str, body: bytes) -> None:
        self.server.admin.attach(self.collection, key, file_name, body)

    def delete(self, key: str) -> None:
        self.server.admin.delete_record(self.collection, key)

    def publish(self, key: str | None = None, **fields: object) -> int:
        """Publishes what was put, with this record; returns the timestamp."""
        if key is not None:
            self.put(key, **fields)
        return self.server.admin.publish(self.collection)

    def re_sign(self) -> None:
        self.server.admin.re_sign(self.collection)


@dataclass(frozen=True)
class V2Source:
    """A collection of the /v2 server."""

    server: V2Server
    collection: str
    root: str | None

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def content(self) -> Collection:
        return self.server.collection(self.collection)

    def create(self) -> None:
        """Makes the collection, empty; publishing does so too."""
        self.server.collection(self.collection)

    def publish(self, key: str, **fields: object) -> int:
        return self.content.publish({key: fields})

    def publish_attached(self, key: str, body: bytes, **claims: object) -> int:
        """Publishes a record with an attachment; claims are said of it instead of the truth."""
        truth = self.server.attachments.add(body, f"{self.collection}/{key}.bin")
        return self.publish(key, attachment={**truth, **claims})

    def attachment_requests(self, key: str) -> list[Request]:
        """The requests for the attachment of a record."""
        return [one for one in self.server.requests if one.path.endswith(f"/{self.collection}/{key}.bin")]

    def requests(self) -> list[Request]:
        """The changeset requests for this collection."""
        return [one for one in self.server.requests if f"/collections/{self.collection}/changeset" in one.target]

    def last_request(self) -> Request:
        return self.requests()[-1]

    def last_since(self) -> str | None:
        """`_since` of the last request, None when it had none."""
        return parse_qs(urlsplit(self.last_request().target).query).get("_since", [None])[0]


class Hosts:
    """Starts host processes over the storage of one test."""

    def __init__(self, forker: Forker, directory: Path) -> None:
        self._forker = forker
        self._started: list[Driver] = []
        self.storage = directory / "storage"
        """The storage directory that hosts use by default."""

    def start(self, clock: Clock | None = None) -> Driver:
        """Starts a host without a client."""
        driver = Driver(self._forker, clock.file if clock else None)
        self._started.append(driver)
        return driver

    def kill(self) -> None:
        """Kills those that still exist."""
        for driver in self._started:
            driver.kill()

    def setup(
        self, *, after: Driver | None = None, storage: Storage = None, clock: Clock | None = None, **options: object
    ) -> Driver:
        """Starts a host with a client, at the end of another host; `options` are those of the client."""
        assert after is None or after.end() == 0
        driver = self.start(clock)
        driver.succeed("setup", storage or self.storage, **options)
        return driver

    def open(
        self, source: KintoSource | V2Source, *, after: Driver | None = None, storage: Storage = None,
        clock: Clock | None = None, setup: dict[str, object] | None = None, **options: object,
    ) -> Driver:  # fmt: skip
        """Starts a host with an open source; `setup` are options of the client, and `options` those of the source."""
        driver = self.setup(after=after, storage=storage, clock=clock, server=source.url, **(setup or {}))
        driver.succeed("open", "collection", **{"name": source.collection, "root_sha256": source.root, **options})
        return driver

    def updated(self, source: KintoSource | V2Source, **options: Any) -> Driver:
        """Starts a host that has opened a source, and received newer data."""
        driver = self.open(source, **options)
        driver.update()
        return driver

    def published(self, source: KintoSource | V2Source, **options: Any) -> Driver:
        """Publishes the record a with n=1, and starts a host that has received it."""
        source.publish("a", n=1)
        return self.updated(source, **options)

    def fetch(self, source: KintoSource | V2Source, **options: Any) -> int:
        """Stores what the server has, by a host that ends; returns the version."""
        driver = self.updated(source, **options)
        version = driver.version()
        assert driver.end() == 0
        return version


def without_metadata(values: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """Records as they were written: without id and last_modified."""
    hidden = ("id", "last_modified", "schema")
    return {key: {k: v for k, v in record.items() if k not in hidden} for key, record in values.items()}
