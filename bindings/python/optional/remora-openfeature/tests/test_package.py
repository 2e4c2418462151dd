# SPDX-License-Identifier: Apache-2.0
"""The wheel of the package."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import remora_openfeature

PROJECT = Path(__file__).resolve().parents[1]


def test_the_wheel_has_the_modules_the_types_the_licence_and_the_version(tmp_path: Path) -> None:
    copy = tmp_path / "project"
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "build"))
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", *options, str(copy)], check=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"remora_openfeature-{remora_openfeature.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in ("__init__.py", "provider.py", "flags.py", "py.typed"):
        assert f"remora_openfeature/{wanted}" in names
    assert any(name.endswith("LICENSE") for name in names)
