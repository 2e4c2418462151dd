# SPDX-License-Identifier: Apache-2.0
#
# A whole release: its files and their checksums.
"""Tests of `make dist`."""

from __future__ import annotations

import subprocess
import tarfile
from collections import Counter

import pytest

from Docs.documents import ROOT
from Packaging.checkout import shell, version
from Packaging.page import DIST, only_file, snippet


@pytest.mark.slow
def test_make_dist_creates_all_packages_the_source_archive_and_their_checksums() -> None:
    shell(snippet("sh", "source", "dist"), ROOT)
    listed = [line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()]
    assert sorted(listed) == sorted(path.name for path in DIST.iterdir() if path.name != "SHA256SUMS")
    kinds = Counter(name.rsplit(".", 1)[1] for name in listed)
    assert kinds == {"crate": 5, "deb": 4, "dsc": 1, "gz": 2, "json": 1, "whl": 1, "xz": 1}
    shell("sha256sum --check --strict SHA256SUMS", DIST)

    with tarfile.open(only_file(f"remora-{version()}.tar.gz")) as archive:
        names = {member.name.removeprefix(f"remora-{version()}/") for member in archive.getmembers()}
    output = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    assert names == {name for name in output.split("\0") if name and (ROOT / name).exists()}
