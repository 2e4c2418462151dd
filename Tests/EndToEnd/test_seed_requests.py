# SPDX-License-Identifier: Apache-2.0
"""The requests that an installer sends for a seed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from EndToEnd.installer import Installer
from EndToEnd.settings_hosts import PATH, SettingsHosts


def test_the_request_that_an_installer_sends_for_initial_data_names_the_application(
    settings: SettingsHosts, installer: Installer
) -> None:
    url = settings.server.url(PATH)
    names: dict[str, Any] = {"application_name": "A+B", "application_version": "2.0", "application_build": "7"}
    host = installer.seed(source={"params": {"user": "x&y", "version": "mine"}}, **names)
    answer = host.succeed("seed_request", "a/b")
    parts = urlsplit(answer["url"])
    assert parts.query == "user=x%26y&version=mine&identifier=a%2Fb&app=A%2BB&build=7"
    assert (answer["method"], answer["headers"]) == ("GET", [["User-Agent", "A+B/2.0 (7) Remora/0.1.0"]])
    host.succeed("seed", settings.storage, "bundle", {"url": url}, application_name="A")
    assert host.succeed("seed_request")["url"] == url
    host.succeed("seed", settings.storage, "collection", {"name": "c"})
    answer = host.run("seed_request")
    assert answer["status"] == "REMORA_ERR_INVALID_ARGUMENT"
    assert "remora dump" in answer["message"]


def test_data_that_an_installer_requested_with_additional_query_items_is_used_by_the_program(
    settings: SettingsHosts, installer: Installer
) -> None:
    answer = installer.seed(application_name="A").succeed("seed_request")
    assert parse_qs(urlsplit(answer["url"]).query) == {"identifier": ["seed"], "app": ["A"]}
    answer = installer.try_save(b'{"a":1}', application_name="A")
    assert answer["status"] == "REMORA_OK"
    assert settings.open().get_int("a") == 1
