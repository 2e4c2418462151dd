# SPDX-License-Identifier: Apache-2.0
"""Tests of the reference of the Swift API."""

from __future__ import annotations

import subprocess
from pathlib import Path

from Site.conftest import ROOT

UNDESCRIBED = """
/// Waits.
///
/// - Parameter key: The key.
public func wait(key: Int, time: Int) {}
"""


def make(modules: Path, output: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "site/make-swift-docs", modules, output], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_the_reference_of_the_swift_api_is_made_without_a_warning(tmp_path: Path) -> None:
    place = subprocess.check_output(["swift", "build", "--show-bin-path"], cwd=ROOT, text=True).strip()
    done = make(Path(place) / "Modules", tmp_path / "pages")
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "pages/documentation/remorakit/client/index.html").is_file()


def test_a_swift_parameter_without_a_comment_stops_the_reference_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "wait.swift").write_text(UNDESCRIBED, encoding="utf-8")
    subprocess.run(["swiftc", "-emit-module", "-module-name", "RemoraKit", "wait.swift"], cwd=tmp_path, check=True)
    done = make(tmp_path, tmp_path / "pages")
    assert done.returncode != 0
    assert "Parameter 'time' is missing documentation" in done.stdout
