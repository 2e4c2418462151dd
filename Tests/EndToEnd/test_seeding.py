# SPDX-License-Identifier: Apache-2.0
#
# What an installer leaves for the first opening: the conformance cases of seeds under their numbers.
"""Seeds."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import remora

from EndToEnd import tool
from EndToEnd.bundle_hosts import BundleHosts
from EndToEnd.hosts import Hosts, V2Source
from EndToEnd.settings_hosts import PATH, Installer, SettingsHosts
from Servers.bundle_server import bundle, element

YEAR = 365 * 24 * 3600


def test_b01_data_that_an_installer_saved_is_read_at_the_first_opening_without_a_server(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    settings.server.stop()
    host = settings.open(on_event=True)
    assert (host.origin(), host.get_int("a")) == ("cached", 1)
    assert (host.event()["cause"], host.succeed("info")["has_staged"]) == ("opened", 0)
    assert installer.seeds == []
    assert settings.open(after=host).get_int("a") == 1
    assert settings.open(params={"user": "other"}).get_int("a") == -1


def test_b03_a_cache_that_is_newer_than_the_data_of_an_installer_is_kept(
    settings: SettingsHosts, installer: Installer
) -> None:
    settings.say(a=2).fetch()
    installer.save(a=1, age=3600)
    host = settings.open()
    assert (host.origin(), host.get_int("a"), installer.seeds) == ("cached", 2, [])


def test_b03_newer_data_of_an_installer_replaces_the_cache(settings: SettingsHosts, installer: Installer) -> None:
    settings.say(a=2).fetch()
    installer.save(a=1)
    host = settings.open()
    assert (host.origin(), host.get_int("a"), installer.seeds) == ("cached", 1, [])
    assert settings.open(after=host).get_int("a") == 1


def test_b04_data_of_an_installer_is_used_only_once_and_later_fetched_data_replaces_it(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    host = settings.say(a=3).open()
    assert host.get_int("a") == 1
    assert host.refresh()["outcome"] == "staged"
    assert settings.open(after=host).get_int("a") == 3


def test_data_of_an_installer_takes_precedence_over_data_that_was_fetched_earlier(
    settings: SettingsHosts, installer: Installer
) -> None:
    settings.say(a=1).fetch()
    settings.say(a=2).fetch()
    installer.save(a=3)
    assert settings.open().get_int("a") == 3
    assert settings.open().get_int("a") == 3


def test_with_manual_activation_the_cache_is_read_until_the_program_activates_an_installers_data(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    host = settings.open(activation="manual")
    assert host.get_int("a") == 1
    host.end()
    installer.save(a=2)
    host = settings.open(activation="manual")
    assert (host.get_int("a"), host.succeed("info")["has_staged"]) == (1, 1)
    host.succeed("activate")
    assert host.get_int("a") == 2


def test_the_version_of_an_installers_data_is_the_time_of_its_download_and_not_of_its_saving(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1, age=YEAR)
    host = settings.open()
    assert abs(host.version() / 1000 - (time.time() - YEAR)) < 120
    host.end()
    assert installer.try_save(b'{"a":2}', age=2 * YEAR)["status"] == "REMORA_OK"
    assert settings.open().get_int("a") == 1
    later = datetime.now(timezone.utc) + timedelta(seconds=YEAR)
    assert installer.try_save(b'{"a":3}', age=2 * YEAR, fetched_at=later)["status"] == "REMORA_OK"
    host = settings.open()
    # A time in the future is unknown, and an unknown time is not newer.
    assert (host.get_int("a"), host.version() <= int(time.time() * 1000)) == (1, True)


def test_saving_again_replaces_the_data_of_an_installer_unless_the_new_data_is_invalid(
    settings: SettingsHosts, installer: Installer
) -> None:
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
    assert installer.try_save(b'{"a":"' + b"x" * 2000 + b'"}', max_body_bytes=1000)["status"] == "REMORA_ERR_TOO_LARGE"
    assert installer.file.read_bytes().startswith(b'{"a":"x')
    assert (installer.seeds, seed.read_bytes()) == ([seed], before)
    assert settings.open().get_int("a") == 2


def test_processes_that_open_a_source_at_the_same_time_use_an_installers_data_and_store_it_once(
    settings: SettingsHosts, installer: Installer
) -> None:
    installer.save(a=1)
    hosts = [settings.hosts.setup() for _ in range(4)]
    for host in hosts:
        host.send("open", "settings", settings.server.url(PATH), fetch_at_open=False, on_event=True)
    assert [host.read()["status"] for host in hosts] == ["REMORA_OK"] * 4
    assert [(host.origin(), host.get_int("a")) for host in hosts] == [("cached", 1)] * 4
    assert len({host.version() for host in hosts}) == 1
    assert (installer.seeds, len(list(settings.storage.glob("*.live")))) == ([], 1)


def test_data_that_an_installer_saves_does_not_affect_a_source_that_is_open(
    settings: SettingsHosts, installer: Installer
) -> None:
    host = settings.say(a=1).fetch().open()
    installer.save(a=2)
    assert (host.get_int("a"), len(installer.seeds)) == (1, 1)
    assert settings.open().get_int("a") == 2
    assert host.get_int("a") == 1


def test_a_reset_deletes_data_that_an_installer_saved_and_that_was_not_used_yet(
    settings: SettingsHosts, installer: Installer
) -> None:
    host = settings.open()
    installer.save(a=1)
    host.succeed("reset")
    assert installer.seeds == []


def test_an_installers_data_for_settings_with_a_tag_is_used_only_for_that_tag(
    settings: SettingsHosts, installer: Installer
) -> None:
    assert installer.try_save(b'{"a":1}', source={"tag": "a/../b"})["status"] == "REMORA_OK"
    assert settings.open().get_int("a") == -1
    host = settings.open(tag="a/../b")
    assert (host.origin(), host.get_int("a")) == ("cached", 1)


@pytest.mark.parametrize(("seeded", "cached", "expected"), [(3, 2, 3), (2, 3, 3), (3, None, 3), (1, None, 1)])
def test_if_a_cached_bundle_and_a_bundle_of_an_installer_exist_the_one_with_the_higher_version_is_used(
    bundles: BundleHosts, tmp_path: Path, seeded: int, cached: int | None, expected: int
) -> None:
    if cached is not None:
        host = bundles.publish(cached, element("A")).open(fetch_at_open=False)
        host.update()
        host.end()
    file = tmp_path / "bundle.json"
    file.write_bytes(bundle(seeded, element("A")))
    remora.Installer(bundles.storage).bundle(bundles.server.url()).save(file)
    host = bundles.open(fetch_at_open=False, default={"configurationVersion": 1, "configurationBundle": []})
    # A default of version 1 is not replaced by another version 1.
    assert (host.version(), host.origin()) == (expected, "default" if seeded == 1 else "cached")


def test_an_installer_can_save_a_dump_of_a_collection_only_if_its_signature_is_valid(
    v2: V2Source, hosts: Hosts, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    file = tool.dumped(v2, tmp_path / "dump.json")
    installer = remora.Installer(hosts.storage, server=v2.url)
    with pytest.raises(remora.RootMismatchError):
        installer.collection(v2.collection).save(file)
    seed = installer.collection(v2.collection, root_sha256=v2.root)
    content = file.read_text()
    file.write_text(content.replace('"n":1', '"n":2'))
    with pytest.raises(remora.SignatureMismatchError):
        seed.save(file)
    file.write_text(content)
    seed.save(file)
    host = hosts.open(v2)
    answer = host.succeed("snapshot")
    assert (answer["origin"], answer["verified"], set(answer["json"])) == ("cached", 1, {"a"})
    assert host.refresh()["outcome"] == "unchanged"
