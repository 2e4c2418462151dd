# SPDX-License-Identifier: Apache-2.0
#
# Storage that cannot be used, and storage that two processes use: trouble on disk costs
# persistence and not service, and one process's fetch serves the other.
"""Storage directories."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from EndToEnd.hosts import Hosts, V2Source


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


def fill(directory: Path) -> None:
    """Writes until there is no space left."""
    with (directory / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 4096)
        except OSError as error:
            assert error.errno == errno.ENOSPC


def assert_works_in_memory(v2: V2Source, hosts: Hosts, storage: Path) -> None:
    """Values arrive, and the trouble can be seen."""
    v2.publish("a", n=1)
    host = hosts.open(v2, storage=storage)
    host.succeed("subscribe")
    host.update()
    assert host.values()["a"]["n"] == 1
    assert host.event()["storage_error"]["status"] == "REMORA_ERR_STORAGE"
    assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_STORAGE"
    v2.publish("a", n=2)
    host.update()
    assert host.values()["a"]["n"] == 2


def test_a_full_disk_costs_persistence_only(v2: V2Source, hosts: Hosts, mount: Path) -> None:
    fill(mount)
    assert_works_in_memory(v2, hosts, mount)


def test_a_read_only_file_system_costs_persistence_only(v2: V2Source, hosts: Hosts, mount: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    assert_works_in_memory(v2, hosts, mount)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory_costs_persistence_only(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    storage = tmp_path / "read-only"
    storage.mkdir(mode=0o500)
    assert_works_in_memory(v2, hosts, storage)


def test_a_disk_that_fills_up_keeps_the_last_good_image(v2: V2Source, hosts: Hosts, mount: Path) -> None:
    timestamp = v2.publish("a", n=1)
    host = hosts.open(v2, storage=mount)
    host.update()
    fill(mount)
    v2.publish("a", n=2, padding="x" * 8192)
    host.update()
    assert host.values()["a"]["n"] == 2
    host.end()
    successor = hosts.open(v2, storage=mount)
    assert (successor.origin(), successor.version()) == ("cached", timestamp)


def test_a_file_is_no_storage_directory(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert hosts.start().run("setup", dir=file, server=v2.url)["status"] == "REMORA_ERR_STORAGE"


def test_a_directory_that_others_can_write_is_refused(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert hosts.start().run("setup", dir=shared, server=v2.url)["status"] == "REMORA_ERR_PERMISSION"


def test_memory_storage_writes_nothing(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2, storage=":memory:")
    host.update()
    host.end()
    assert not hosts.storage.exists()
    assert hosts.open(v2, storage=":memory:").origin() == "none"


def test_files_are_private(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    hosts.open(v2).update()
    assert hosts.storage.stat().st_mode & 0o777 == 0o700
    files = [path for path in hosts.storage.rglob("*") if path.is_file()]
    assert files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_a_damaged_cache_is_replaced_by_the_next_refresh(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    first = hosts.open(v2)
    first.update()
    first.end()
    for path in hosts.storage.rglob("*"):
        if path.is_file() and path.stat().st_size > 64:
            path.write_bytes(path.read_bytes()[:-16] + b"\xff" * 16)
    host = hosts.open(v2)
    assert set(host.values()) <= {"a"}
    host.succeed("refresh", 20_000)
    assert host.values()["a"]["n"] == 1


def test_what_one_process_fetched_another_adopts(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    follower = hosts.open(v2)
    follower.update()
    follower.succeed("subscribe")
    timestamp = v2.publish("a", n=2)
    fetcher = hosts.open(v2)
    assert fetcher.origin() == "cached"
    fetcher.update()
    requests = len(v2.requests())
    event = follower.event()
    assert (event["cause"], event["origin"], event["version"]) == ("adopted", "fetched", timestamp)
    assert [(one["kind"], one["key"]) for one in event["changes"]] == [("updated", "a")]
    assert follower.values()["a"]["n"] == 2
    assert len(v2.requests()) == requests


def test_two_processes_that_refresh_at_once_end_with_the_same_version(v2: V2Source, hosts: Hosts) -> None:
    both = [hosts.open(v2), hosts.open(v2)]
    for number in range(1, 6):
        timestamp = v2.publish("a", n=number)
        for host in both:
            host.succeed("refresh-async")
        for host in both:
            host.succeed("completion", 20_000)
            assert (host.version(), host.values()["a"]["n"]) == (timestamp, number)
