# SPDX-License-Identifier: Apache-2.0
"""Checks the built pages: each link and anchor has a target, and nothing is requested from another host."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser requests without a click.
REQUESTED = {
    ("img", "src"),
    ("script", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
}


class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps what the check needs of a tag."""
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append((tag, name, value))


def faults(site: Path, generated: tuple[str, ...] = ("api/",)) -> list[str]:
    """What is wrong with the pages, except those in folders that other tools have made."""
    names = sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))
    pages = {name: Page(site / name) for name in names if not name.startswith(generated)}
    return [f"{name}: {fault}" for name, page in pages.items() for fault in _faults(site, name, page, pages)]


def _faults(site: Path, name: str, page: Page, pages: dict[str, Page]) -> Iterator[str]:
    for tag, attribute, link in page.links:
        parts = urlsplit(link)
        if parts.scheme == "data":
            continue
        if parts.scheme or parts.netloc:
            if (tag, attribute) in REQUESTED:
                yield f"requests {link}"
            continue
        target = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
        )
        if not (site / target).exists():
            yield f"broken link: {link}"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"broken anchor: {link}"
