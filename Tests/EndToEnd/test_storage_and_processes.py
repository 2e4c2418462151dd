# SPDX-License-Identifier: Apache-2.0
#
# Storage that cannot be used, and storage that two processes use: trouble on disk costs
# persistence and not service, and one process's fetch serves the other.
"""Storage directories."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from EndToEnd.disk import fill
from EndToEnd.hosts import Hosts, V2Source

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users' files")


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


def test_on_a_full_disk_new_values_are_used_and_only_storing_fails(v2: V2Source, hosts: Hosts, full_disk: Path) -> None:
    assert_works_in_memory(v2, hosts, full_disk)


def test_on_a_read_only_file_system_new_values_are_used_and_only_storing_fails(
    v2: V2Source, hosts: Hosts, mount: Path
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    assert_works_in_memory(v2, hosts, mount)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_in_a_read_only_directory_new_values_are_used_and_only_storing_fails(
    v2: V2Source, hosts: Hosts, tmp_path: Path
) -> None:
    storage = tmp_path / "read-only"
    storage.mkdir(mode=0o500)
    assert_works_in_memory(v2, hosts, storage)


def test_new_values_are_used_and_the_last_stored_data_is_kept_if_the_disk_becomes_full(
    v2: V2Source, hosts: Hosts, mount: Path
) -> None:
    timestamp = v2.publish("a", n=1)
    host = hosts.updated(v2, storage=mount)
    fill(mount)
    v2.publish("a", n=2, padding="x" * 8192)
    host.update()
    assert host.values()["a"]["n"] == 2
    successor = hosts.open(v2, storage=mount, after=host)
    assert (successor.origin(), successor.version()) == ("cached", timestamp)


def test_a_file_at_the_path_of_the_storage_directory_is_refused(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    assert hosts.start().run("setup", file, server=v2.url)["status"] == "REMORA_ERR_STORAGE"


def test_a_storage_directory_that_all_users_can_write_is_not_used(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    host = hosts.published(v2, storage=shared)
    assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_PERMISSION"
    assert not list(shared.iterdir())


@as_root
def test_a_directory_that_another_user_has_left_is_not_used(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.mkdir(mode=0o700)
    os.chown(left, 65534, 65534)
    host = hosts.published(v2, storage=left)
    assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_PERMISSION"
    assert not list(left.iterdir())


def test_a_directory_that_kubelet_has_changed_for_its_fs_group_is_used_again(
    v2: V2Source, hosts: Hosts, tmp_path: Path
) -> None:
    volume = tmp_path / "volume"
    timestamp = v2.publish("a", n=1)
    hosts.fetch(v2, storage=volume)
    for path in volume.iterdir():
        path.chmod(0o660)
    volume.chmod(0o2770)
    successor = hosts.open(v2, storage=volume)
    assert (successor.origin(), successor.version()) == ("cached", timestamp)
    v2.publish("a", n=2)
    successor.update()
    assert successor.succeed("info")["storage_error"] is None
    assert volume.stat().st_mode & 0o7777 == 0o700
    assert all(path.stat().st_mode & 0o7777 == 0o600 for path in volume.iterdir())


def test_a_client_without_a_storage_directory_writes_no_file(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    hosts.fetch(v2, storage=":memory:")
    assert not hosts.storage.exists()
    assert hosts.open(v2, storage=":memory:").origin() == "none"


def test_stored_files_can_be_read_only_by_their_owner(v2: V2Source, hosts: Hosts) -> None:
    hosts.published(v2)
    assert hosts.storage.stat().st_mode & 0o777 == 0o700
    files = [path for path in hosts.storage.rglob("*") if path.is_file()]
    assert files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_a_damaged_cache_is_replaced_by_the_next_refresh(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    hosts.fetch(v2)
    for path in hosts.storage.rglob("*"):
        if path.is_file() and path.stat().st_size > 64:
            path.write_bytes(path.read_bytes()[:-16] + b"\xff" * 16)
    host = hosts.open(v2)
    assert set(host.values()) <= {"a"}
    host.refresh()
    assert host.values()["a"]["n"] == 1


def test_packaged_data_is_used_if_the_cache_is_damaged_or_missing(v2: V2Source, hosts: Hosts, tmp_path: Path) -> None:
    packaged = tmp_path / "packaged.json"
    packaged.write_text('{"data":[{"id":"start","last_modified":1}],"timestamp":1}')
    first = hosts.published(v2, packaged_file=packaged)
    # What a running host has stays, whatever becomes of the files.
    for path in hosts.storage.iterdir():
        path.unlink()  # Not cut short: it is mapped.
        path.write_bytes(b"damaged")
    assert set(first.values()) == {"a"}
    second = hosts.open(v2, packaged_file=packaged, after=first)
    assert (second.origin(), set(second.values())) == ("packaged", {"start"})
    assert second.succeed("info")["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
    second.update()
    assert set(second.values()) == {"a"}
    second.end()
    for path in hosts.storage.iterdir():
        path.unlink()
    third = hosts.open(v2, packaged_file=packaged)
    assert (third.origin(), set(third.values())) == ("packaged", {"start"})


def test_a_reader_of_10000_records_needs_little_private_memory_and_two_versions_are_kept_on_disk(
    v2: V2Source, hosts: Hosts
) -> None:
    idle = hosts.open(v2)
    v2.content.publish({f"record-{n}": {"n": n, "text": f"number {n}"} for n in range(10_000)})
    writer = hosts.updated(v2)
    for n in range(5):
        v2.publish("record-7", n=n)
        writer.update()
    images = [path for path in hosts.storage.iterdir() if path.suffix in (".live", ".previous", ".staged", ".tmp")]
    assert sorted(path.suffix for path in images) == [".live", ".previous"]
    reader = hosts.open(v2)
    assert reader.get_int("record-9999", "/n", 0) == 9999
    assert reader.memory("RssAnon") < idle.memory("RssAnon") + 256 * 1024


def test_a_process_sends_no_request_to_read_data_that_another_process_fetched(v2: V2Source, hosts: Hosts) -> None:
    follower = hosts.published(v2)
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


def test_two_processes_that_refresh_at_the_same_time_end_with_the_same_version(v2: V2Source, hosts: Hosts) -> None:
    both = [hosts.open(v2), hosts.open(v2)]
    for number in range(1, 6):
        timestamp = v2.publish("a", n=number)
        for host in both:
            host.succeed("begin_refresh")
        for host in both:
            host.completion()
            assert (host.version(), host.values()["a"]["n"]) == (timestamp, number)


def test_an_older_copy_of_the_storage_directory_is_read_until_the_next_refresh(v2: V2Source, hosts: Hosts) -> None:
    assert hosts.published(v2).end() == 0
    copy = hosts.storage.with_name("copy")
    shutil.copytree(hosts.storage, copy)
    v2.publish("a", n=2)
    assert hosts.updated(v2).end() == 0
    shutil.rmtree(hosts.storage)
    copy.rename(hosts.storage)
    host = hosts.open(v2)
    assert (host.origin(), host.values()["a"]["n"]) == ("cached", 1)
    host.update()
    assert host.values()["a"]["n"] == 2
