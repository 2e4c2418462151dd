# SPDX-License-Identifier: Apache-2.0
"""Tests of the navigation."""

from __future__ import annotations

from pathlib import Path

from navigation import Navigation

from Site.conftest import ROOT


def test_the_navigation_lists_each_page_of_the_documents_once() -> None:
    navigation = Navigation(ROOT)
    assert len([source for source, _, _ in navigation.pages() if source.startswith("docs/")]) >= 60
    assert navigation.faults() == []


def test_pages_inside_the_project_are_not_searched() -> None:
    hidden = {source for source, _, is_searched in Navigation(ROOT).pages() if not is_searched}
    inside = {"ARCHITECTURE.md", "docs/conformance.md", "docs/reliability.md", "docs/decisions/README.md"}
    assert inside <= hidden and "docs/faq.md" not in hidden


def test_a_page_that_is_missing_listed_twice_or_not_listed_is_a_fault(tree: Path) -> None:
    assert Navigation(tree).faults() == []
    (tree / "docs" / "lost.md").write_text("# Lost\n", encoding="utf-8")
    (tree / "docs" / "decisions" / "README.md").unlink()
    listed = tree / "site" / "navigation.toml"
    twice = listed.read_text(encoding="utf-8").replace('["C", "@c"]', '["Again", "docs/waiting.md"]')
    listed.write_text(twice, encoding="utf-8")
    assert Navigation(tree).faults() == [
        "docs/decisions/README.md: listed in site/navigation.toml, but does not exist",
        "docs/waiting.md: listed twice in site/navigation.toml",
        "docs/lost.md: not in the navigation; add it to site/navigation.toml",
    ]
