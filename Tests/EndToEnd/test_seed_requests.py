# SPDX-License-Identifier: Apache-2.0
"""The requests that an installer sends for a seed."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import remora

from EndToEnd.settings_hosts import PATH, Installer, SettingsHosts


def test_the_request_that_an_installer_sends_for_initial_data_names_the_application(
    settings: SettingsHosts, installer: Installer
) -> None:
    url = settings.server.url(PATH)
    names: dict[str, Any] = {"application_name": "A+B", "application_version": "2.0", "application_build": "7"}
    request = installer.seed(source={"params": {"user": "x&y", "version": "mine"}}, **names).request(identifier="a/b")
    parts = urlsplit(request.url)
    assert parts.query == "user=x%26y&version=mine&identifier=a%2Fb&app=A%2BB&build=7"
    assert (request.method, request.headers) == ("GET", (("User-Agent", "A+B/2.0 (7) Remora/0.1.0"),))
    other = remora.Installer(settings.storage, application_name="A")
    assert other.bundle(url).request().url == url
    with pytest.raises(remora.InvalidArgumentError, match="command dump"):
        other.collection("c").request()


def test_data_that_an_installer_requested_with_additional_query_items_is_used_by_the_program(
    settings: SettingsHosts, installer: Installer
) -> None:
    request = installer.seed(application_name="A").request()
    assert parse_qs(urlsplit(request.url).query) == {"identifier": ["seed"], "app": ["A"]}
    answer = installer.try_save(b'{"a":1}', application_name="A")
    assert answer["status"] == "REMORA_OK"
    assert settings.open().get_int("a") == 1
