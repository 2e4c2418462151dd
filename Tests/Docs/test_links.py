# SPDX-License-Identifier: Apache-2.0
#
# Relative links lead somewhere, and a link to a test names one that is there.
"""Tests of the documents' links."""

from __future__ import annotations

from Docs.documents import ROOT, Link, anchors, documents, links


def fault(link: Link) -> str | None:
    """Why a relative link leads nowhere; None if it leads somewhere."""
    path, _, anchor = link.target.partition("#")
    target = (link.document.parent / path).resolve() if path else link.document
    if not target.exists():
        return f"{link.target} does not exist"
    if not target.is_relative_to(ROOT):
        return f"{link.target} leads out of the project"
    if anchor and anchor not in anchors(target):
        return f"{target.name} has no heading for #{anchor}"
    if target.is_relative_to(ROOT / "Tests") and target.is_file() and link.text.startswith("`"):
        if link.text.strip("`") not in target.read_text(encoding="utf-8"):
            return f"{path} has no {link.text}"
    return None


def test_every_relative_link_in_the_documentation_has_a_target() -> None:
    relative = [link for document in documents() for link in links(document) if "://" not in link.target]
    assert len(relative) >= 500
    assert [f"{link}: {why}" for link in relative if (why := fault(link))] == []
