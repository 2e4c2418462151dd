# SPDX-License-Identifier: Apache-2.0
#
# The Debian source package, and that its files agree with the rest of the checkout. test_deb.py has the packages that
# its rules make.
"""Tests of `scripts/make-deb --source`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from Docs.documents import ROOT
from Packaging.checkout import shell, version
from Packaging.page import need

RULES = ROOT / "packaging/debian"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The description of the source package."""
    need("debhelper", shutil.which("dh_python3"))
    build = tmp_path_factory.mktemp("build")
    shell(f"scripts/make-deb --source {build}", ROOT)
    return build / f"dist/remora_{version()}-1.dsc"


def test_the_source_package_unpacks_to_the_sources_and_the_rules(package: Path, tmp_path: Path) -> None:
    shell(f"dpkg-source --extract {package} tree", tmp_path)
    for path in ["CMakeLists.txt", "Sources/Remora/Engine/Opening/LibraryVersion.swift", "examples/c/quickstart.c"]:
        assert (tmp_path / "tree" / path).read_bytes() == (ROOT / path).read_bytes()
    shell(f"diff -r {RULES} debian", tmp_path / "tree")
    assert shell("dpkg-parsechangelog --show-field Version", tmp_path / "tree").strip() == f"{version()}-1"


def test_lintian_finds_no_error_in_the_source_package(package: Path) -> None:
    need("lintian", shutil.which("lintian"))
    shell(f"lintian --fail-on error {package}", ROOT)


def test_making_the_source_package_again_produces_the_same_bytes(package: Path) -> None:
    before = {path.name: path.read_bytes() for path in package.parent.iterdir()}
    shell(f"scripts/make-deb --source {package.parent.parent}", ROOT)
    assert {path.name: path.read_bytes() for path in package.parent.iterdir()} == before


def test_the_source_package_requires_the_headers_that_install_deps_installs_for_a_build() -> None:
    script = (ROOT / "scripts/install-deps").read_text(encoding="utf-8")
    headers = set(re.findall(r"has_header \S+ \|\| echo (\S+)", script))
    control = (RULES / "control").read_text(encoding="utf-8")
    listed = re.findall(r"^ ([a-z0-9.+-]+)", control.split("Build-Depends:\n")[1].split("\nStandards")[0], re.MULTILINE)
    assert headers and headers <= set(listed)


def test_the_release_is_found_by_the_name_of_the_source_archive(package: Path) -> None:
    pattern = (RULES / "watch").read_text(encoding="utf-8").split()[-1]
    found = re.fullmatch(pattern, f"https://mirror.example/remora-{version()}.tar.gz")
    assert found and found[1] == version()
