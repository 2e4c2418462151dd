# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the site, in Markdown, from the documents, the header and the sources of a tree."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import creference
import header
import manual
import sources
from markdown import Document, Symbols
from navigation import Navigation

NOT_SEARCHED = "---\nno-search: true\n---\n"
ORPHAN = "---\norphan: true\nno-search: true\n---\n"
CPP, PYTHON, MANUAL = "include/remora.hpp", "bindings/python/src", "packaging/remora.1"
# The first pages of the references that site/ makes.
PAGES = {"@c": "c/index", "@cpp": "cpp-api/index", "@python": "python-api/index", "@tool": "remora-1"}
# The references that other tools make: their first pages, the page that lists these, and what it says about them.
APIS = {
    "@rust": ("api/rust/*/index.html", "rust-api.md", "Each crate has pages of its own:"),
    "@swift": (
        "api/swift/*/documentation/*",
        "swift-api.md",
        "The module has pages of its own, which need a server: `python3 -m http.server -d build/docs/html`.",
    ),
}


class Stage:
    """The folder of the pages. `faults` are what stops the build."""

    def __init__(self, root: Path, folder: Path, site: Path) -> None:
        self.root, self.folder, self.site = root, folder, site
        self.navigation = Navigation(root)
        self.faults = self.navigation.faults()
        self.pages = {source: page for source, page, _ in self.navigation.pages()}
        self.titles = {source: title for one in self.navigation.sections for title, source in one.pages}
        # What pages link to, and that is not in the navigation.
        self.linked_documents: list[str] = []
        self.linked_files: list[str] = []
        self.header = header.Header("")
        self.symbols = Symbols(self.header)

    def make(self) -> None:
        """Writes all pages."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._read_header()
        # First, because guides link to its pages.
        self._write_cpp()
        self._write_manual()
        for source, page, is_searched in self.navigation.pages():
            if (self.root / source).is_file():
                self._write(page, ("" if is_searched else NOT_SEARCHED) + self._converted(source, page))
        self._write_linked_documents()
        for page, text in creference.Reference(self.header, self.symbols, self._guide).pages():
            self._write(page, text)
        self._write_python()
        for image in (self.root / "docs").glob("*.svg"):
            shutil.copy(image, self.folder / image.name)
        self._write_navigation()

    def _read_header(self) -> None:
        try:
            self.header = header.read(self.root / "include" / "remora.h")
        except header.MissingComment as error:
            self.faults.append(str(error))
        self.symbols = Symbols(self.header)

    def _write(self, page: str, text: str) -> None:
        (self.folder / page).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / page).write_text(text, encoding="utf-8")

    def _converted(self, source: str, page: str) -> str:
        document = Document(self.root, source, page, self, self.symbols)
        text = document.converted()
        self.faults += document.faults
        return text

    def title(self, path: str) -> str | None:
        """The title of a page in the navigation."""
        return self.titles.get(path)

    def page(self, path: str) -> str | None:
        """The page of a file of the project; None for a folder without a README.md."""
        if (self.root / path).is_dir():
            path = f"{path}/README.md".removeprefix("./")
            if not (self.root / path).is_file():
                return None
        if path == "include/remora.h":
            return "c/index.md"
        if path in self.pages:
            return self.pages[path]
        if path.endswith(".svg") and path.startswith("docs/"):
            return path.removeprefix("docs/")
        is_document = path.endswith(".md")
        self.pages[path] = f"source/{path}" if is_document else sources.page_of(path)
        (self.linked_documents if is_document else self.linked_files).append(path)
        return self.pages[path]

    def _write_linked_documents(self) -> None:
        # These documents may add others.
        for path in self.linked_documents:
            self._write(self.pages[path], ORPHAN + self._converted(path, self.pages[path]))

    def _guide(self, source: str) -> tuple[str, str]:
        if source not in self.titles:
            self.faults.append(f"include/remora.h: no page {source}")
        return self.titles.get(source, source), self.pages.get(source, source)

    def _write_cpp(self) -> None:
        if not (self.root / CPP).is_file():
            return
        import cppheader  # Later: only the environment of the site has libclang.
        import cppreference

        try:
            headers = cppheader.read(self.root)
        except cppheader.Unreadable as error:
            self.faults.append(str(error))
            return
        reference = cppreference.CppReference(headers, self.header, self.symbols, self._guide)
        for source, page, text in reference.pages():
            self.pages[source] = page
            self._write(page, text)
        self.faults += reference.faults

    def _write_manual(self) -> None:
        if not (self.root / MANUAL).is_file():
            return
        self.pages[MANUAL] = f"{PAGES['@tool']}.md"
        try:
            self._write(self.pages[MANUAL], manual.converted((self.root / MANUAL).read_text(encoding="utf-8")))
        except manual.UnknownSyntax as error:
            self.faults.append(f"{MANUAL}:{error}")

    def _write_python(self) -> None:
        if not (self.root / PYTHON).is_dir():
            return
        import pyreference  # Later: only the environment of the site has griffe.

        reference = pyreference.Reference(self.root / PYTHON, self._linked_guides)
        for page, text in reference.pages():
            self._write(page, text)
        self.faults += [f"{PYTHON}: {fault}" for fault in reference.faults]

    def _linked_guides(self, text: str) -> str:
        def link(found: re.Match[str]) -> str:
            title, page = self._guide(f"docs/{found.group(1)}")
            return f"[{title}](../{page}{found.group(2) or ''})"

        parts = re.split(r"(```.*?```|`[^`]*`)", text, flags=re.DOTALL)
        return "".join(
            part if number % 2 else re.sub(r"\bdocs/([\w-]+\.md)(#[\w-]+)?", link, part)
            for number, part in enumerate(parts)
        )

    def _generated(self, source: str) -> str | None:
        """The page of a generated entry of the navigation; None if its tool was not there."""
        if page := PAGES.get(source):
            return page if (self.folder / f"{page}.md").exists() else None
        pattern, page, text = APIS[source]
        links = [one.relative_to(self.site) for one in sorted(self.site.glob(pattern))]
        if not links:
            return None
        # DocC knows its pages by the names of their folders.
        named = [(one, one.parent.name) if one.suffix else (f"{one}/", one.name) for one in links]
        items = "\n".join(f'<li><a href="{link}"><code>{name}</code></a></li>' for link, name in named)
        self._write(page, f"# {source[1:].capitalize()} API\n\n{text}\n\n<ul>\n{items}\n</ul>\n")
        return page.removesuffix(".md")

    def _write_navigation(self) -> None:
        index = (self.folder / "index.md").read_text(encoding="utf-8")
        for section in self.navigation.sections:
            index += f"\n```{{toctree}}\n:hidden:\n:caption: {section.title}\n\n"
            for title, source in section.pages:
                page = self._generated(source) if source.startswith("@") else self.pages[source]
                if page and (self.folder / f"{page.removesuffix('.md')}.md").exists():
                    index += f"{title} <{page.removesuffix('.md')}>\n"
            index += "```\n"
        self._write("index.md", index)
        for source in self.titles:
            if children := self.navigation.children(source):
                text = (self.folder / self.pages[source]).read_text(encoding="utf-8")
                names = "\n".join(Path(one).stem for one in children)
                self._write(self.pages[source], f"{text}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n")
