# SPDX-License-Identifier: Apache-2.0
#
# The licences of the code of other projects that is compiled into Remora: LICENSES.md for the wheel, the crates and the
# sources, packaging/debian/copyright for the Debian packages.
"""Tests of LICENSES.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from Docs.documents import ROOT

NOTICES = ROOT / "LICENSES.md"
DEBIAN = ROOT / "packaging/debian/copyright"
# The folders with C code or headers, and the sections of LICENSES.md about the code that each of them compiles in.
FOLDERS = {
    "CCurl": [],  # Loaded at the first request.
    "CGetopt": [],  # A part of the C library.
    "CJansson": ["jansson"],
    "COpenSSL": [],  # Loaded at the first request.
    "CSigning": [],  # Remora's own code.
    "CSupport": [],  # Remora's own code.
    "CSwiftRuntime": ["Swift runtime", "LLVM", "Unicode data"],
    "CXXHash": ["xxHash"],
}
# The copyright line of each section, as debian/copyright has it.
HOLDERS = {
    "Swift runtime": "2014-2026 Apple Inc. and the Swift project authors",
    "LLVM": "2003-2026 the LLVM project contributors",
    "Unicode data": "1991-2026 Unicode, Inc.",
    "xxHash": "2012-2023 Yann Collet",
}


def sections() -> dict[str, str]:
    """The text of LICENSES.md, by its headings."""
    _, *parts = re.split(r"^## (.+)$", NOTICES.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def words(text: str) -> str:
    """A text without its line breaks and the marks of its lists."""
    return " ".join(re.sub(r"^[ /*.-]+", " ", text, flags=re.MULTILINE).split())


def test_each_folder_with_c_code_names_the_projects_whose_code_it_compiles_in() -> None:
    assert {path.name for path in (ROOT / "Sources").glob("C*") if path.is_dir()} == set(FOLDERS)
    assert sorted(sections()) == sorted(name for names in FOLDERS.values() for name in names)


@pytest.mark.parametrize("name", sorted(HOLDERS))
def test_both_lists_of_licences_name_the_holder_of_the_copyright(name: str) -> None:
    assert HOLDERS[name] in words(sections()[name])
    assert HOLDERS[name] in words(DEBIAN.read_text(encoding="utf-8"))


def test_the_licence_of_xxhash_is_the_one_in_its_header() -> None:
    header = Path("/usr/include/xxhash.h")
    if not header.exists():
        pytest.skip("libxxhash-dev is not installed in /usr")
    comment = words(header.read_text(encoding="utf-8").split("*/")[0])
    years = re.search(r"Copyright \(C\) 2012-(\d{4}) Yann Collet", comment)
    terms = re.search(r"Redistribution and use .* SUCH DAMAGE\.", comment)
    # Each version of xxHash has its own last year.
    assert years and terms and f"2012-{years[1]} Yann Collet" <= HOLDERS["xxHash"]
    assert terms[0] in words(sections()["xxHash"])
    assert terms[0] in words(DEBIAN.read_text(encoding="utf-8"))


def test_the_wheel_and_each_crate_include_the_licences() -> None:
    assert "LICENSES.md" in (ROOT / "scripts/make-wheel").read_text(encoding="utf-8")
    assert 'license-files = ["LICENSE*"]' in (ROOT / "bindings/python/pyproject.toml").read_text(encoding="utf-8")
    manifests = [path for path in (ROOT / "bindings/rust").glob("**/Cargo.toml") if "[package]" in path.read_text()]
    crates = [path.parent for path in manifests if "target" not in path.parts]
    assert len(crates) == 5
    for crate in crates:
        assert (crate / "LICENSES.md").resolve() == NOTICES
        assert '"/LICENSES.md"' in (crate / "Cargo.toml").read_text(encoding="utf-8")
