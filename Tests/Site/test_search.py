# SPDX-License-Identifier: Apache-2.0
#
# The scripts and the index are those of the built site; node runs them.
"""Tests of the search of the whole site."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("search.js")


def found(site: Path, query: str) -> list[str]:
    """The pages that the search finds, the best first."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node, str(SCRIPT), str(site), query], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages: list[str] = json.loads(done.stdout)
    return pages


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("offline", {"faq"}),
        ("rotate token", {"faq", "operations"}),
        ("why do I get the default", {"faq"}),
        ("gunicorn", {"faq", "python", "threading"}),
        ("proxy", {"faq", "refreshing", "operations"}),
        ("remora_refresh", {"c/refresh"}),
        ("refresh", {"c/refresh", "refreshing"}),
        ("client::open_bundle", {"cpp-api/client"}),
    ],
)
def test_the_search_finds_the_right_page_first(site: Path, query: str, right: set[str]) -> None:
    assert found(site, query)[0] in right


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "reference"), [("set_exception_handler", "cpp-api/callback"), ("--base-url", "remora-1")]
)
def test_the_search_finds_names_of_cpp_and_of_the_tool(site: Path, query: str, reference: str) -> None:
    assert reference in found(site, query)


@pytest.mark.slow
def test_the_search_does_not_find_pages_for_contributors(site: Path) -> None:
    pages = {page for query in ("lock", "decision", "test", "engine") for page in found(site, query)}
    assert len(pages) >= 10
    assert [page for page in pages if page.startswith(("decisions/", "source/", "architecture", "conformance"))] == []
