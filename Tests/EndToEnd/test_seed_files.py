# SPDX-License-Identifier: Apache-2.0
#
# The files of seeds: their owners and modes, and everything that a seed may have suffered on its way.
"""Files of seeds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from EndToEnd.driver import Driver
from EndToEnd.settings_hosts import Installer, SettingsHosts

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users' files")


def told(host: Driver) -> list[str]:
    """The log until it is silent about a request that fails."""
    lines: list[str] = []
    host.refresh()
    while not lines or ": the refresh failed: " not in lines[-1]:
        lines.append(host.succeed("take", "log")["message"])
    return lines


def test_only_the_owner_can_read_a_seed_file_that_an_installer_saved(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    assert seed.stat().st_mode & 0o777 == 0o600
    assert settings.storage.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("position", [0, 40, 200, -1])
def test_a_damaged_seed_file_of_an_installer_is_reported_once_and_cached_data_is_still_used(
    settings: SettingsHosts, installer: Installer, position: int
) -> None:
    settings.say(a=1).fetch()
    installer.save(a=2)
    (seed,) = installer.seeds
    content = bytearray(seed.read_bytes())
    content[position] ^= 0xFF
    seed.write_bytes(bytes(content))
    settings.server.stop()
    host = settings.open(on_event=True)
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    assert host.event()["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
    assert [line for line in told(host) if seed.name in line and "not used" in line]
    assert installer.seeds == []


def test_a_truncated_seed_file_of_an_installer_is_reported_and_deleted(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=2)
    (seed,) = installer.seeds
    for size in (0, 50, 150):
        seed.write_bytes(seed.read_bytes()[:size])
        host = settings.open()
        assert host.get_int("a") == -1
        assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
        assert (host.end(), installer.seeds) == (0, [])
        installer.save(a=2)


def test_a_seed_file_that_was_saved_for_other_settings_is_neither_used_nor_deleted(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    (mine,) = installer.seeds
    installer.save(source={"params": {"user": "other"}}, a=2)
    (other,) = [one for one in installer.seeds if one != mine]
    other.rename(mine)
    host = settings.open()
    assert (host.get_int("a"), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_CORRUPT")
    assert installer.seeds == [mine]


def test_a_seed_file_in_a_later_format_is_neither_used_nor_deleted(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    content = bytearray(seed.read_bytes())
    content[8] += 1
    seed.write_bytes(bytes(content))
    host = settings.open()
    assert (host.get_int("a"), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_CORRUPT")
    assert installer.seeds == [seed]


@as_root
def test_a_seed_file_that_another_user_owns_or_can_write_is_not_used(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    os.chown(seed, NOBODY, NOBODY)
    host = settings.open()
    assert (host.get_int("a"), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_PERMISSION")
    host.end()
    os.chown(seed, 0, 0)
    seed.chmod(0o666)
    host = settings.open()
    assert (host.get_int("a"), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_PERMISSION")
    host.end()
    seed.chmod(0o644)
    assert settings.open().get_int("a") == 1


@as_root
def test_a_seed_file_that_root_saves_in_the_directory_of_a_user_is_owned_by_that_user(
    settings: SettingsHosts, installer: Installer
) -> None:
    settings.storage.mkdir(mode=0o700)
    os.chown(settings.storage, NOBODY, NOBODY)
    installer.save(a=1)
    assert {(one.stat().st_uid, one.stat().st_gid) for one in settings.storage.iterdir()} == {(NOBODY, NOBODY)}
    assert {one.name for one in settings.storage.iterdir()} == {installer.seeds[0].name, "lock"}
    host = settings.open()
    assert (host.get_int("a"), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_PERMISSION")


def test_if_the_directory_is_not_writable_an_installers_seed_file_is_read_at_every_opening(
    settings: SettingsHosts, installer: Installer, mount: Path
) -> None:
    assert installer.try_save(b'{"a":1}', storage=mount)["status"] == "REMORA_OK"
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    for _ in range(2):
        host = settings.hosts.setup(storage=mount)
        assert settings.try_open(host, fetch_at_open=False)["status"] == "REMORA_OK"
        assert (host.origin(), host.get_int("a")) == ("cached", 1)
        assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_STORAGE"
        host.end()
    assert installer.try_save(b'{"a":2}', storage=mount)["status"] == "REMORA_ERR_STORAGE"
