# SPDX-License-Identifier: Apache-2.0
#
# Relative links lead somewhere, and a link to a test names one that is there.
"""Tests of the documents' links."""

from __future__ import annotations

import pytest

from Docs.documents import ROOT, Link, anchors, documents, links

LINKS = [link for document in documents() for link in links(document) if "://" not in link.target]


@pytest.mark.parametrize("link", LINKS, ids=str)
def test_a_link_leads_somewhere(link: Link) -> None:
    path, _, anchor = link.target.partition("#")
    target = (link.document.parent / path).resolve() if path else link.document
    assert target.exists(), f"{link.target} is not there"
    assert target.is_relative_to(ROOT), f"{link.target} leads out of the project"
    if anchor:
        assert anchor in anchors(target), f"{target.name} has no heading for #{anchor}"
    if target.is_relative_to(ROOT / "Tests") and target.is_file() and link.text.startswith("`"):
        assert link.text.strip("`") in target.read_text(encoding="utf-8"), f"{path} has no {link.text}"
