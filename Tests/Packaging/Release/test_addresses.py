# SPDX-License-Identifier: Apache-2.0
#
# The address of the repository is in many files. The path of the Go module decides it.
"""Tests of the addresses in the metadata of all packages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from Docs.documents import ROOT

GO = (ROOT / "bindings/go/go.mod").read_text(encoding="utf-8")
ADDRESS = "https://" + re.findall(r"^module (.+)/bindings/go$", GO, re.MULTILINE)[0]
PYTHON = ["Homepage", "Documentation", "Source", "Changelog"]
RUST = ["homepage", "repository", "documentation"]
DEBIAN = ["Homepage", "Vcs-Browser", "Vcs-Git"]
MANIFESTS = {
    "bindings/python/pyproject.toml": PYTHON,
    "bindings/python/optional/remora-openfeature/pyproject.toml": PYTHON,
    "bindings/rust/remora/Cargo.toml": RUST,
    "bindings/rust/remora-sys/Cargo.toml": RUST,
    "bindings/rust/optional/remora-log/Cargo.toml": RUST,
    "bindings/rust/optional/remora-serde/Cargo.toml": RUST,
    "bindings/rust/optional/remora-tokio/Cargo.toml": RUST,
    "packaging/debian/control": DEBIAN,
}


@pytest.mark.parametrize(("manifest", "fields"), MANIFESTS.items())
def test_the_metadata_of_each_package_has_the_address_of_the_repository(manifest: str, fields: list[str]) -> None:
    text = (ROOT / manifest).read_text(encoding="utf-8")
    found = dict(re.findall(r'^([\w-]+)(?: = "|: )(https://[^"\n]+)"?$', text, re.MULTILINE))
    assert sorted(found) == sorted(fields)
    for url in found.values():
        assert url == ADDRESS or (ROOT / url.removeprefix(f"{ADDRESS}/")).exists(), url


def test_the_new_releases_are_looked_up_at_the_address_of_the_repository() -> None:
    assert f"\n{ADDRESS}/" in (ROOT / "packaging/debian/watch").read_text(encoding="utf-8")


def test_each_manifest_of_a_package_is_checked() -> None:
    rust = [path for path in ROOT.glob("bindings/rust/**/Cargo.toml") if "\n[package]\n" in path.read_text()]
    found = {str(path.relative_to(ROOT)) for path in [*rust, *ROOT.glob("bindings/python/**/pyproject.toml")]}
    assert {name for name in found if not {"target", "build"} & set(Path(name).parts)} == set(MANIFESTS) - {
        "packaging/debian/control"
    }
