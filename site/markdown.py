# SPDX-License-Identifier: Apache-2.0
"""Rewrites the Markdown of the project for the site: fences, links, and names of the C API."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path
from typing import Protocol

from header import Header

_FENCED = re.compile(r"^(?P<mark> *`{3,})(?P<words>[^\n`]*)\n(?P<text>.*?)^(?P=mark)[ \t]*$", re.MULTILINE | re.DOTALL)
# Code is matched first, so that nothing inside it is rewritten.
_INLINE = re.compile(
    r"(?P<indented>(?<=\n\n)(?:(?: {4}|\t)[^\n]*\n)+)"
    r"|(?P<link>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^)\s]+)\)"
    r"|(?P<heading>^\#[^\n]*)"
    r"|(?P<code>(?P<ticks>`+)(?:(?!`).|\n(?!\n))*?(?P=ticks)(?!`))",
    re.MULTILINE,
)
_SYMBOL = re.compile(r"`((?:remora|REMORA)_\w+)`")
_ROLES = {"function": "func", "macro": "macro"}


class Symbols:
    """The names of the C API that have a place in the reference."""

    def __init__(self, header: Header) -> None:
        self._roles = {one.name: _ROLES.get(one.kind, "type") for one in header.symbols}

    def linked(self, name: str) -> str:
        """A name as code, with a link if the reference has it."""
        return f"{{c:{self._roles[name]}}}`{name}`" if name in self._roles else f"`{name}`"


class Places(Protocol):
    """Where the files of the project are on the site."""

    def page(self, path: str) -> str | None:
        """The page of a file; None for a folder without a README.md."""

    def title(self, path: str) -> str | None:
        """The title of a page in the navigation."""


class Document:
    """A Markdown file of the project, and the page that shows it."""

    def __init__(self, root: Path, source: str, page: str, places: Places, symbols: Symbols) -> None:
        self.root, self.source, self.page, self.places, self.symbols = root, source, page, places, symbols
        self.faults: list[str] = []

    def converted(self) -> str:
        """The text of the page."""
        text = (self.root / self.source).read_text(encoding="utf-8")
        text = re.sub(r"\A(?:<!--.*?-->\s*)+", "", text, flags=re.DOTALL)
        parts, end = [], 0
        for found in _FENCED.finditer(text):
            parts += [self._prose(text[end : found.start()]), self._fence(found)]
            end = found.end()
        return "".join([*parts, self._prose(text[end:])])

    def _fence(self, found: re.Match[str]) -> str:
        words = found["words"].split()
        if not words:
            first = found["text"].strip().split("\n")[0]
            self.faults.append(f"{self.source}: a fence has no language: {first}")
        return f"{found['mark']}{(words or ['text'])[0]}\n{found['text']}{found['mark']}"

    def _prose(self, text: str) -> str:
        return _INLINE.sub(self._rewritten, text)

    def _rewritten(self, found: re.Match[str]) -> str:
        if found["link"]:
            target = self._target(found["target"])
            label = self._label(" ".join(found["link"].split()), found["target"])
            if target is None:
                return label[1:-1]
            # Sphinx knows nothing of pages that it does not make.
            is_foreign = re.match(r"[^:]+\.html(?:#|$)", target)
            return f'<a href="{target}">{label[1:-1]}</a>' if is_foreign else f"{label}({target})"
        symbol = _SYMBOL.fullmatch(found.group())
        return self.symbols.linked(symbol.group(1)) if symbol else found.group()

    def _path(self, target: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.source), target.partition("#")[0]))

    def _label(self, label: str, target: str) -> str:
        """The text of a link: the title of the page in place of the name of its file."""
        if not re.fullmatch(r"\[`?(?:[\w-]+/)*[\w-]+\.md`?\]", label):
            return label
        title = self.places.title(self._path(target))
        return f"[{title}]" if title else label

    def _target(self, target: str) -> str | None:
        """The link on the site; None if the target is a folder, which has no page."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, anchor = self._path(target), target.partition("#")[2]
        if path.startswith("..") or not (self.root / path).exists():
            self.faults.append(f"{self.source}: broken link: {target}")
            return target
        page = self.places.page(path)
        if page is None:
            return None
        relative = os.path.relpath(page, posixpath.dirname(self.page) or ".")
        return f"{relative}#{anchor}" if anchor else relative
