# SPDX-License-Identifier: Apache-2.0
"""Tests of the list of components: it is complete, and valid."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from Docs.documents import ROOT
from Packaging.checkout import BUILD, shell, version

# It needs no notice, so it has no section in LICENSES.md.
WITHOUT_NOTICE = {"libgcc and libstdc++"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The list, made from the build of the checkout."""
    (tmp_path / "CMakeCache.txt").symlink_to(BUILD / "CMakeCache.txt")
    shell(f"{sys.executable} scripts/make-sbom {tmp_path}", ROOT)
    return tmp_path / f"dist/remora-{version()}.cdx.json"


def test_the_list_of_components_names_each_project_of_the_licences(place: Path) -> None:
    listed: dict[str, Any] = {it["name"]: it for it in json.loads(place.read_text())["components"]}
    sections = re.split(r"^## (.+)$", (ROOT / "LICENSES.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(listed) == {*sections[1::2], *WITHOUT_NOTICE}
    for name, section in zip(sections[1::2], sections[2::2], strict=True):
        (inside,) = [it["value"] for it in listed[name]["properties"] if it["name"] == "remora:inside"]
        assert ("Elsewhere" in section) == (inside == "wheel"), name
    swift = shell("swiftc --version", ROOT)
    assert f"Swift version {listed['Swift runtime']['version']} " in swift


def test_the_list_of_components_is_valid_and_equal_each_time(place: Path) -> None:
    text = place.read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    shell(f"{sys.executable} scripts/make-sbom {place.parent.parent}", ROOT)
    assert place.read_text() == text
