# SPDX-License-Identifier: Apache-2.0
"""The navigation of the site, and where each document of the project is on it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

FOLDERS = ("docs", "docs/decisions")


@dataclass(frozen=True)
class Section:
    """A caption with its pages: their titles and sources."""

    title: str
    pages: list[tuple[str, str]]
    is_searched: bool


def page_of(source: str) -> str:
    """The page that shows a document of the project."""
    path = PurePosixPath(source)
    if source == "docs/README.md":
        return "guides.md"
    if path.parts[0] == "docs":
        return str(path.relative_to("docs")).replace("README.md", "index.md")
    return source.lower()


class Navigation:
    """The file navigation.toml of a tree."""

    def __init__(self, root: Path) -> None:
        data = tomllib.loads((root / "site" / "navigation.toml").read_text(encoding="utf-8"))
        self.root = root
        self.home: str = data["home"]
        self.sections = [
            Section(one["title"], [(title, source) for title, source in one["pages"]], one.get("is_searched", True))
            for one in data["section"]
        ]

    def pages(self) -> Iterator[tuple[str, str, bool]]:
        """The source and the page of each document, and whether the search finds it. Not the generated pages."""
        yield self.home, "index.md", True
        for section in self.sections:
            for _, source in section.pages:
                if not source.startswith("@"):
                    yield source, page_of(source), section.is_searched
                    yield from ((one, page_of(one), section.is_searched) for one in self.children(source))

    def children(self, source: str) -> list[str]:
        """The documents beside the README.md of a folder such as docs/decisions."""
        folder = PurePosixPath(source).parent
        if PurePosixPath(source).name != "README.md" or str(folder) in (".", "docs"):
            return []
        return [
            f"{folder}/{path.name}" for path in sorted((self.root / folder).glob("*.md")) if path.name != "README.md"
        ]

    def faults(self) -> list[str]:
        """The pages that are listed and do not exist, are listed twice, or exist and are not listed."""
        listed = [source for source, _, _ in self.pages()]
        existing = {f"{folder}/{path.name}" for folder in FOLDERS for path in (self.root / folder).glob("*.md")}
        twice = {source for source in listed if listed.count(source) > 1}
        return [
            *(f"{one}: listed in site/navigation.toml, but does not exist"
              for one in listed if not (self.root / one).is_file()),
            *(f"{one}: listed twice in site/navigation.toml" for one in sorted(twice)),
            *(f"{one}: not in the navigation; add it to site/navigation.toml"
              for one in sorted(existing - set(listed))),
        ]  # fmt: skip
