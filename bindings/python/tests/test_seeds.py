# SPDX-License-Identifier: Apache-2.0
"""Seeds: what an installer asks, saves and is refused."""

from __future__ import annotations

import copy
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

import remora
from Servers.bundle_server import bundle, element

URL = "http://127.0.0.1:1/x"


@pytest.fixture
def installer(tmp_path: Path) -> remora.Installer:
    return remora.Installer(
        tmp_path / "storage", application_name="A B", application_version="2.0", headers={"X-Key": "secret"}
    )


def saved(tmp_path: Path, content: bytes = b'{"a":1}') -> Path:
    file = tmp_path / "download"
    file.write_bytes(content)
    return file


def test_an_installers_request_has_a_url_and_a_method_and_its_headers_name_the_application(
    installer: remora.Installer,
) -> None:
    request = installer.settings(URL, params={"user": "x&y"}, tag="t").request(identifier="post/inst")
    assert request.url == URL + "?user=x%26y&tag=t&identifier=post%2Finst&app=A%20B&version=2.0"
    assert request.method == "GET"
    agent, key = request.headers
    assert agent[0] == "User-Agent" and agent[1].startswith("A B/2.0 Remora/")
    assert key == ("X-Key", "secret")
    assert "secret" not in repr(request) and copy.copy(request) is request
    assert installer.bundle(URL, method="post").request().method == "POST"


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"], ids=ascii)
def test_a_header_value_of_an_installers_request_cannot_start_another_header(tmp_path: Path, mark: str) -> None:
    name = f"A{mark}X-Other: B{mark}"
    request = remora.Installer(tmp_path, application_name=name, headers={"X-Key": name}).settings(URL).request()
    agent, key = request.headers
    assert agent[0] == "User-Agent" and agent[1].startswith(f"{name}/0 Remora/")
    assert key == ("X-Key", name)


def test_an_installers_request_has_a_header_twice_if_the_header_is_configured_twice(tmp_path: Path) -> None:
    given = (("X-Key", "a"), ("X-Key", "b: c"))
    request = remora.Installer(tmp_path, headers=given).settings(URL).request()
    assert request.headers[1:] == given


def test_settings_that_an_installer_saved_are_read_at_the_first_opening(
    installer: remora.Installer, tmp_path: Path
) -> None:
    when = datetime(2024, 5, 6, 7, 8, 9, tzinfo=timezone.utc)
    file = saved(tmp_path)
    installer.settings(URL, tag="t").save(file, fetched_at=when)
    assert file.read_bytes() == b'{"a":1}'
    with remora.Client(tmp_path / "storage") as client:
        source = client.settings(URL, tag="t", fetch_at_open=False)
        assert (source["a"], source.info().origin, source.info().fetched_at) == (1, remora.Origin.CACHED, when)
        assert "a" not in client.settings(URL, fetch_at_open=False).snapshot()


def test_an_installer_can_save_a_bundle_and_a_collection(installer: remora.Installer, tmp_path: Path) -> None:
    installer.bundle(URL).save(saved(tmp_path, bundle(3, element("app"))))
    installer.collection("c", trust="off").save(saved(tmp_path, b'{"data":[],"timestamp":1000}'))
    with remora.Client(tmp_path / "storage") as client:
        assert client.bundle(URL, fetch_at_open=False).info().version == 3
        assert client.collection("c", trust="off").info().version == 1000


@pytest.mark.parametrize(
    ("content", "error"), [(b"", remora.ParseError), (b"{", remora.ParseError), (b"[]", remora.FormatError)]
)
def test_an_installer_refuses_a_file_with_invalid_data_and_keeps_the_previously_saved_data(
    installer: remora.Installer, tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    installer.settings(URL).save(saved(tmp_path))
    with pytest.raises(error, match="download"):
        installer.settings(URL).save(saved(tmp_path, content))
    with remora.Client(tmp_path / "storage") as client:
        assert client.settings(URL, fetch_at_open=False)["a"] == 1


@pytest.mark.parametrize(
    ("file", "options", "error", "named"),
    [
        (None, {}, remora.InvalidArgumentError, "file"),
        (5, {}, TypeError, "file"),
        ("/nonexistent", {}, remora.StorageError, "/nonexistent"),
        ("/dev/null", {"fetched_at": 5}, TypeError, "fetched_at"),
        ("/dev/null", {"fetched_at": datetime(2024, 1, 1)}, ValueError, "zone"),
        ("/dev/null", {"fetched_at": datetime(1970, 1, 1, tzinfo=timezone.utc)}, ValueError, "1970"),
    ],
    ids=repr,
)
def test_an_error_about_an_invalid_argument_of_the_method_save_names_the_argument(
    installer: remora.Installer, file: Any, options: dict[str, Any], error: type[Exception], named: str
) -> None:
    with pytest.raises(error, match=named):
        installer.settings(URL).save(file, **options)


def test_an_error_about_an_invalid_option_of_an_installers_request_names_the_option(
    installer: remora.Installer, tmp_path: Path
) -> None:
    with pytest.raises(remora.InvalidArgumentError, match="memory_only"):
        installer.settings(URL, memory_only=True).request()
    with pytest.raises(remora.InvalidArgumentError, match="command dump"):
        installer.collection("c").request()
    with pytest.raises(TypeError, match="identifier"):
        installer.settings(URL).request(identifier=5)  # type: ignore[arg-type]
