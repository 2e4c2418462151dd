# SPDX-License-Identifier: Apache-2.0
#
# Servers that live for the whole session, and host processes that live for one test.
# Each test has its own collection and its own storage directory.
"""Fixtures of the end-to-end tests."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from EndToEnd.bundle_hosts import BundleHosts
from EndToEnd.disk import fill
from EndToEnd.driver import Clock, Forker
from EndToEnd.hosts import Hosts, KintoSource, V2Source
from EndToEnd.proxy import Proxy
from EndToEnd.publishing import Publisher
from EndToEnd.settings_hosts import Installer, SettingsHosts
from Servers.bundle_server import BundleServer
from Servers.kinto_server import KintoServer
from Servers.pki import Pki, make_pki
from Servers.static_nginx import NginxServer
from Servers.static_server import RecordingStaticServer, StaticServer
from Servers.v2_server import V2Server

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def _forker() -> Iterator[Forker]:
    forker = Forker()
    yield forker
    forker.end()


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make_pki(tmp_path_factory.mktemp("pki"))


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    """A chain that nobody pinned."""
    return make_pki(tmp_path_factory.mktemp("stranger"))


@pytest.fixture(scope="session")
def _kinto_of_session() -> Iterator[KintoServer]:
    with KintoServer() as server:
        yield server


@pytest.fixture(scope="session")
def _v2_of_session(pki: Pki) -> Iterator[V2Server]:
    with V2Server(pki) as server:
        yield server


@pytest.fixture
def kinto(_kinto_of_session: KintoServer) -> Iterator[KintoSource]:
    """A new, empty collection on Kinto."""
    source = KintoSource(_kinto_of_session, f"kinto-{next(_numbers)}")
    source.server.admin.create_collection(source.collection)
    yield source
    source.server.files.failing_status = None


@pytest.fixture
def own_kinto() -> Iterator[KintoSource]:
    """A Kinto that the test may stop."""
    with KintoServer() as server:
        server.admin.create_collection("own")
        yield KintoSource(server, "own")


@pytest.fixture
def proxy(kinto: KintoSource) -> Iterator[Proxy]:
    """What counts the requests to Kinto, and may be stopped."""
    parts = urlsplit(kinto.url)
    with Proxy(f"{parts.scheme}://{parts.netloc}") as front:
        yield front


@pytest.fixture
def v2(_v2_of_session: V2Server, pki: Pki) -> Iterator[V2Source]:
    """A new, empty collection on the /v2 server."""
    source = V2Source(_v2_of_session, f"v2-{next(_numbers)}", pki.root_sha256)
    source.create()
    yield source
    source.server.clear_faults()
    source.server.stop()
    source.server.start()


@pytest.fixture
def unsigned() -> Iterator[V2Source]:
    """A collection of a server that does not sign, with the record a."""
    with V2Server(None) as server:
        source = V2Source(server, "c", root=None)
        source.publish("a", n=1)
        yield source


@pytest.fixture
def hosts(_forker: Forker, tmp_path: Path) -> Iterator[Hosts]:
    """Starts host processes, and kills those that a test leaves behind."""
    started = Hosts(_forker, tmp_path)
    yield started
    started.kill()


@pytest.fixture
def documents(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StaticServer]:
    """A server of documents: one that answers as the test says, or one of ON_BOTH_SERVERS."""
    kind = getattr(request, "param", None)
    if kind == "nginx":
        with NginxServer(tmp_path / "nginx") as nginx:
            yield nginx
    else:
        with BundleServer() if kind is None else RecordingStaticServer() as server:
            yield server


@pytest.fixture
def bundles(hosts: Hosts, documents: StaticServer) -> BundleHosts:
    """Hosts of a bundle, and its server."""
    return BundleHosts(hosts, documents)


@pytest.fixture
def settings(hosts: Hosts, documents: StaticServer) -> SettingsHosts:
    """Hosts of settings, and their server."""
    return SettingsHosts(hosts, documents)


@pytest.fixture
def installer(settings: SettingsHosts, tmp_path: Path) -> Installer:
    """An installer that saves seeds for these hosts."""
    return Installer(settings, tmp_path)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    """The clock of hosts that are started with it."""
    return Clock(tmp_path)


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own; only root can have one."""
    directory = tmp_path / "mount"
    directory.mkdir()
    options = ["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs", str(directory)]
    if os.geteuid() != 0 or subprocess.run(["mount", *options], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a tmpfs is not allowed here")
    yield directory
    subprocess.run(["umount", "--lazy", str(directory)], check=True)


@pytest.fixture
def read_only_directory(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A directory that takes no file: for root, one of a read-only file system."""
    if os.geteuid() == 0:
        directory: Path = request.getfixturevalue("mount")
        subprocess.run(["mount", "-o", "remount,ro", str(directory)], check=True)
    else:
        directory = tmp_path / "read-only"
        directory.mkdir(mode=0o500)
    return directory


@pytest.fixture
def full_disk(mount: Path) -> Path:
    """A file system without space left."""
    fill(mount)
    return mount


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    """A publisher with new keys and an empty folder."""
    return Publisher(tmp_path)
