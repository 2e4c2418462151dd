# SPDX-License-Identifier: Apache-2.0
#
# What an installer leaves for the first opening: the conformance cases of seeds under their numbers, and everything that
# a seed may have suffered on its way.
"""Seeds."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from EndToEnd import tool
from EndToEnd.bundle_hosts import BundleHosts
from EndToEnd.driver import Answer, Driver
from EndToEnd.hosts import Hosts, V2Source
from EndToEnd.settings_hosts import PATH, SettingsHosts, number
from Servers.bundle_server import bundle, element

YEAR = 365 * 24 * 3600

NOBODY = 65534

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has other users' files")


class Installer:
    """A program of its own that saves seeds of settings."""

    def __init__(self, settings: SettingsHosts, directory: Path) -> None:
        self._settings = settings
        self.file = directory / "download.json"

    def try_save(self, content: bytes, *params: str, age: int = 0, **options: object) -> Answer:
        """Saves what was downloaded so many seconds ago, perhaps in vain."""
        self.file.write_bytes(content)
        then = time.time() - age
        os.utime(self.file, (then, then))
        options.setdefault("url", self._settings.server.url(PATH))
        options.setdefault("kind", "settings")
        return self.run("seed-save", self.file, *[f"param={one}" for one in params], **options)

    def run(self, command: str, *words: object, **options: object) -> Answer:
        """Runs a command in a new process, which ends with it."""
        options.setdefault("dir", self._settings.storage)
        host = self._settings.host()
        answer = host.run(command, *words, **options)
        assert host.end() == 0
        return answer

    def save(self, *params: str, age: int = 0, **values: object) -> None:
        """Saves a dictionary."""
        answer = self.try_save(json.dumps(values).encode(), *params, age=age)
        assert answer["status"] == "REMORA_OK", answer

    @property
    def seeds(self) -> list[Path]:
        """The files of seeds that nobody has taken over."""
        return sorted(self._settings.storage.glob("*.seed"))


@pytest.fixture
def installer(settings: SettingsHosts, tmp_path: Path) -> Installer:
    return Installer(settings, tmp_path)


def told(host: Driver) -> list[str]:
    """The log until it is silent about a request that fails."""
    lines: list[str] = []
    host.refresh()
    while not lines or ": the refresh failed: " not in lines[-1]:
        lines.append(host.succeed("log", 10_000)["message"])
    return lines


def test_b01_a_seed_is_what_the_first_opening_finds(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    settings.server.stop()
    host = settings.open(on_event=1)
    assert (host.origin(), number(host)) == ("cached", 1)
    assert (host.event()["cause"], host.succeed("info")["pending"]) == ("opened", 0)
    assert installer.seeds == []
    host.end()
    assert number(settings.open()) == 1
    assert number(settings.open("user/other")) == -1


def test_b03_a_newer_cache_stays(settings: SettingsHosts, installer: Installer) -> None:
    settings.say(a=2)
    settings.fetch()
    installer.save(a=1, age=3600)
    host = settings.open()
    assert (host.origin(), number(host), installer.seeds) == ("cached", 2, [])


def test_b03_a_newer_seed_takes_the_place_of_the_cache(settings: SettingsHosts, installer: Installer) -> None:
    settings.say(a=2)
    settings.fetch()
    installer.save(a=1)
    host = settings.open()
    assert (host.origin(), number(host), installer.seeds) == ("cached", 1, [])
    host.end()
    assert number(settings.open()) == 1


def test_b04_a_seed_is_taken_over_once(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    settings.say(a=3)
    host = settings.open()
    assert number(host) == 1
    assert host.refresh()["outcome"] == "staged"
    host.end()
    assert number(settings.open()) == 3


def test_a_seed_goes_before_what_is_staged_and_older(settings: SettingsHosts, installer: Installer) -> None:
    settings.say(a=1)
    settings.fetch()
    settings.say(a=2)
    settings.fetch()
    installer.save(a=3)
    assert number(settings.open()) == 3
    assert number(settings.open()) == 3


def test_under_manual_activation_a_seed_waits_beside_a_cache(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    host = settings.open(activation="manual")
    assert number(host) == 1
    host.end()
    installer.save(a=2)
    host = settings.open(activation="manual")
    assert (number(host), host.succeed("info")["pending"]) == (1, 1)
    host.succeed("activate")
    assert number(host) == 2


def test_the_time_of_the_download_counts_and_not_that_of_the_saving(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1, age=YEAR)
    host = settings.open()
    assert abs(host.version() / 1000 - (time.time() - YEAR)) < 120
    host.end()
    assert installer.try_save(b'{"a":2}', age=2 * YEAR)["status"] == "REMORA_OK"
    assert number(settings.open()) == 1
    now = int(time.time() * 1000)
    assert installer.try_save(b'{"a":3}', age=2 * YEAR, fetched_at=now + YEAR * 1000)["status"] == "REMORA_OK"
    host = settings.open()
    assert (number(host), host.version() <= int(time.time() * 1000)) == (3, True)


def test_saving_again_replaces_a_seed_and_bad_data_leaves_it(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    installer.save(a=2)
    (seed,) = installer.seeds
    before = seed.read_bytes()
    for content, status in [
        (b"", "PARSE"), (b'{"a":', "PARSE"), (b'{"a":1}x', "PARSE"), (b'{"a":1,"a":2}', "PARSE"), (b"[1]", "FORMAT"),
    ]:  # fmt: skip
        answer = installer.try_save(content)
        assert answer["status"] == f"REMORA_ERR_{status}", content
        assert str(installer.file) in answer["message"]
    assert installer.try_save(b'{"a":"' + b"x" * 2000 + b'"}', max_body=1000)["status"] == "REMORA_ERR_TOO_LARGE"
    assert installer.file.read_bytes().startswith(b'{"a":"x')
    assert (installer.seeds, seed.read_bytes()) == ([seed], before)
    assert number(settings.open()) == 2


def test_only_the_owner_can_read_what_is_saved(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    assert seed.stat().st_mode & 0o777 == 0o600
    assert settings.storage.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("position", [0, 40, 200, -1])
def test_a_damaged_seed_is_told_once_and_costs_nothing(
    settings: SettingsHosts, installer: Installer, position: int
) -> None:
    settings.say(a=1)
    settings.fetch()
    installer.save(a=2)
    (seed,) = installer.seeds
    content = bytearray(seed.read_bytes())
    content[position] ^= 0xFF
    seed.write_bytes(bytes(content))
    settings.server.stop()
    host = settings.open(on_event=1)
    assert (host.origin(), number(host)) == ("cached", 1)
    assert host.event()["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
    assert [line for line in told(host) if seed.name in line and "not used" in line]
    assert installer.seeds == []


def test_a_seed_that_was_cut_off_is_told_and_removed(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=2)
    (seed,) = installer.seeds
    for size in (0, 50, 150):
        seed.write_bytes(seed.read_bytes()[:size])
        host = settings.open()
        assert number(host) == -1
        assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_CORRUPT"
        assert (host.end(), installer.seeds) == (0, [])
        installer.save(a=2)


def test_the_seed_of_other_settings_is_not_used_and_stays(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    (mine,) = installer.seeds
    installer.save("user/other", a=2)
    (other,) = [one for one in installer.seeds if one != mine]
    other.rename(mine)
    host = settings.open()
    assert (number(host), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_CORRUPT")
    assert installer.seeds == [mine]


def test_a_seed_of_a_later_format_is_not_used_and_stays(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    content = bytearray(seed.read_bytes())
    content[8] += 1
    seed.write_bytes(bytes(content))
    host = settings.open()
    assert (number(host), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_CORRUPT")
    assert installer.seeds == [seed]


@as_root
def test_a_seed_may_be_roots_and_nobody_elses(settings: SettingsHosts, installer: Installer) -> None:
    installer.save(a=1)
    (seed,) = installer.seeds
    os.chown(seed, NOBODY, NOBODY)
    host = settings.open()
    assert (number(host), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_PERMISSION")
    host.end()
    os.chown(seed, 0, 0)
    seed.chmod(0o666)
    host = settings.open()
    assert (number(host), host.succeed("info")["storage_error"]["status"]) == (-1, "REMORA_ERR_PERMISSION")
    host.end()
    seed.chmod(0o644)
    assert number(settings.open()) == 1


@as_root
def test_what_root_saves_for_another_user_is_that_users(settings: SettingsHosts, installer: Installer) -> None:
    settings.storage.mkdir(mode=0o700)
    os.chown(settings.storage, NOBODY, NOBODY)
    installer.save(a=1)
    assert {(one.stat().st_uid, one.stat().st_gid) for one in settings.storage.iterdir()} == {(NOBODY, NOBODY)}
    assert {one.name for one in settings.storage.iterdir()} == {installer.seeds[0].name, "lock"}
    host = settings.host()
    assert host.run("setup", dir=settings.storage)["status"] == "REMORA_ERR_PERMISSION"


def test_two_hosts_that_open_at_once_have_the_seed_and_store_it_once(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    hosts = [settings.setup() for _ in range(4)]
    for host in hosts:
        host.send(f"open-settings url={settings.server.url(PATH)} fetch=no on_event=1")
    assert [host.read()["status"] for host in hosts] == ["REMORA_OK"] * 4
    assert [(host.origin(), number(host)) for host in hosts] == [("cached", 1)] * 4
    assert len({host.version() for host in hosts}) == 1
    assert (installer.seeds, len(list(settings.storage.glob("*.live")))) == ([], 1)


def test_where_nothing_can_be_written_a_seed_is_live_at_every_opening(
    settings: SettingsHosts, installer: Installer, mount: Path
) -> None:
    assert installer.try_save(b'{"a":1}', dir=mount)["status"] == "REMORA_OK"
    subprocess.run(["mount", "-o", "remount,ro", str(mount)], check=True)
    for _ in range(2):
        host = settings.host()
        host.succeed("setup", dir=mount)
        assert settings.try_open(host, fetch="no")["status"] == "REMORA_OK"
        assert (host.origin(), number(host)) == ("cached", 1)
        assert host.succeed("info")["storage_error"]["status"] == "REMORA_ERR_STORAGE"
        host.end()
    assert installer.try_save(b'{"a":2}', dir=mount)["status"] == "REMORA_ERR_STORAGE"


def test_a_source_that_is_open_is_not_disturbed(settings: SettingsHosts, installer: Installer) -> None:
    settings.say(a=1)
    settings.fetch()
    host = settings.open()
    installer.save(a=2)
    assert (number(host), len(installer.seeds)) == (1, 1)
    assert number(settings.open()) == 2
    assert number(host) == 1


def test_a_reset_forgets_a_seed_too(settings: SettingsHosts, installer: Installer) -> None:
    host = settings.open()
    installer.save(a=1)
    host.succeed("reset")
    assert installer.seeds == []


def test_a_seed_of_a_tag_is_that_of_the_tag(settings: SettingsHosts, installer: Installer, tmp_path: Path) -> None:
    tag = tmp_path / "name"
    tag.write_text("a/../b")
    assert installer.try_save(b'{"a":1}', tag=tag)["status"] == "REMORA_OK"
    assert number(settings.open()) == -1
    host = settings.open(tag="a/../b")
    assert (host.origin(), number(host)) == ("cached", 1)


@pytest.mark.parametrize(("seeded", "cached", "expected"), [(3, 2, 3), (2, 3, 3), (3, None, 3), (1, None, 1)])
def test_the_seed_of_a_bundle_is_judged_by_its_version(
    bundles: BundleHosts, tmp_path: Path, seeded: int, cached: int | None, expected: int
) -> None:
    if cached is not None:
        bundles.server.publish(cached, element("A"))
        host = bundles.open(fetch="no")
        host.update()
        host.end()
    file = tmp_path / "bundle.json"
    file.write_bytes(bundle(seeded, element("A")))
    host = bundles.setup()
    host.succeed("seed-save", file, dir=bundles.storage, kind="bundle", url=bundles.server.url())
    host = bundles.open(fetch="no", defaults={"configurationVersion": 1, "configurationBundle": []})
    # A default of version 1 is not replaced by another version 1.
    assert (host.version(), host.origin()) == (expected, "default" if seeded == 1 else "cached")


def test_a_dump_is_the_seed_of_a_collection_and_is_verified_when_it_is_saved(
    v2: V2Source, hosts: Hosts, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    file = tool.dumped(v2, tmp_path / "dump.json")
    installer = hosts.start()
    where = {"dir": hosts.storage, "kind": "collection", "collection": v2.collection, "server": v2.url}
    assert installer.run("seed-save", file, **where)["status"] == "REMORA_ERR_ROOT_MISMATCH"
    content = file.read_text()
    file.write_text(content.replace('"n":1', '"n":2'))
    assert installer.run("seed-save", file, root=v2.root, **where)["status"] == "REMORA_ERR_SIGNATURE_MISMATCH"
    file.write_text(content)
    installer.succeed("seed-save", file, root=v2.root, **where)
    host = hosts.open(v2)
    answer = host.succeed("json")
    assert (answer["origin"], answer["verified"], set(answer["json"])) == ("cached", 1, {"a"})
    assert host.refresh()["outcome"] == "unchanged"


def test_the_request_tells_who_asks(settings: SettingsHosts, installer: Installer) -> None:
    url = settings.server.url(PATH)
    answer = installer.run(
        "seed-request", "param=user/x&y", "param=version/mine", kind="settings", url=url, identifier="a/b", app="A+B",
        app_version="2.0", build="7",
    )  # fmt: skip
    parts = urlsplit(answer["url"])
    assert parts.query == "user=x%26y&version=mine&identifier=a%2Fb&app=A%2BB&build=7"
    assert (answer["method"], answer["headers"]) == ("GET", "User-Agent: A+B/2.0 (7) Remora/0.1.0\n")
    answer = installer.run("seed-request", kind="bundle", url=url, app="A")
    assert answer["url"] == url
    answer = installer.run("seed-request", kind="collection", collection="c")
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "remora dump" in answer["message"]


def test_the_items_of_the_request_do_not_make_other_settings(settings: SettingsHosts, installer: Installer) -> None:
    answer = installer.run("seed-request", kind="settings", url=settings.server.url(PATH), app="A")
    assert parse_qs(urlsplit(answer["url"]).query) == {"identifier": ["seed"], "app": ["A"]}
    answer = installer.try_save(b'{"a":1}', app="A", identifier="b")
    assert answer["status"] == "REMORA_OK"
    assert number(settings.open()) == 1
