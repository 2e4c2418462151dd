# SPDX-License-Identifier: Apache-2.0
"""Tests of the man pages."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from Site.conftest import ROOT


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, which the system's Python makes without packages."""
    output = tmp_path_factory.mktemp("man") / "man3"
    command = [sys.executable, "-S", str(ROOT / "site" / "man.py"), str(ROOT / "include" / "remora.h"), str(output)]
    subprocess.run(command, check=True)
    return output


def test_each_function_has_a_page_or_a_link_to_one(pages: Path) -> None:
    for name in (ROOT / "abi" / "symbols.txt").read_text(encoding="utf-8").split():
        text = (pages / f"{name}.3").read_text(encoding="utf-8")
        if link := re.fullmatch(r"\.so man3/(\w+\.3)\n", text):
            text = (pages / link.group(1)).read_text(encoding="utf-8")
        assert f".Nm {name}" in text and f".Fo {name}" in text


def test_a_page_has_the_rules_and_the_example_of_its_function(pages: Path) -> None:
    text = (pages / "remora_refresh_async.3").read_text(encoding="utf-8")
    assert ".It Sy Thread" in text and ".It Sy Ownership" in text and ".It Sy Blocking" in text
    assert "remora_request_cancel(request); // if the result is not needed" in text


def test_each_link_to_a_page_has_a_target(pages: Path) -> None:
    links = {
        (page.name, name)
        for page in pages.iterdir()
        for name in re.findall(r"^\.Xr (\w+) 3", page.read_text(), re.MULTILINE)
    }
    assert len(links) >= 200
    assert [link for link in sorted(links) if not (pages / f"{link[1]}.3").exists()] == []


def test_mandoc_finds_no_fault(pages: Path) -> None:
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    files = [str(page) for page in sorted(pages.iterdir()) if not page.read_text(encoding="utf-8").startswith(".so")]
    done = subprocess.run(["mandoc", "-T", "lint", *files], capture_output=True, text=True, check=False)
    # The pages are not installed, so that mandoc does not find those that they refer to.
    lines = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert lines == []
