# SPDX-License-Identifier: Apache-2.0
"""The requests that an installer sends for a seed."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from EndToEnd.installer import Installer
from EndToEnd.settings_hosts import PATH, SettingsHosts, number


def test_the_request_that_an_installer_sends_for_initial_data_names_the_application(
    settings: SettingsHosts, installer: Installer
) -> None:
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


def test_data_that_an_installer_requested_with_additional_query_items_is_used_by_the_program(
    settings: SettingsHosts, installer: Installer
) -> None:
    answer = installer.run("seed-request", kind="settings", url=settings.server.url(PATH), app="A")
    assert parse_qs(urlsplit(answer["url"]).query) == {"identifier": ["seed"], "app": ["A"]}
    answer = installer.try_save(b'{"a":1}', app="A", identifier="b")
    assert answer["status"] == "REMORA_OK"
    assert number(settings.open()) == 1
