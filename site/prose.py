# SPDX-License-Identifier: Apache-2.0
"""Writes comments of headers as Markdown, with links to the symbols and guides that they mention."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from comments import Code, Comment, Item
from markdown import Symbols


def titled(text: str) -> str:
    """A text that begins with a capital, unless its first word is a name."""
    return text if re.match(r"\w*_", text) else text[:1].upper() + text[1:]


class Prose:
    """Comments of the C header. `guide` returns the title and page of a guide such as docs/errors.md."""

    language = "c"
    names = re.compile(r"\b(?:remora|REMORA)_\w+\b(?!…)")

    def __init__(self, symbols: Symbols, guide: Callable[[str], tuple[str, str]]) -> None:
        self.symbols, self.guide = symbols, guide

    def inline(self, text: str) -> str:
        """Text of a comment as Markdown."""
        parts = re.split(r"(`[^`]*`)", text)
        return "".join(part if number % 2 else self._plain(part) for number, part in enumerate(parts))

    def blocks(self, comment: Comment) -> Iterator[str]:
        """The paragraphs, lists and examples of a comment."""
        for block in comment.blocks:
            if isinstance(block, Code):
                yield f"\n```{self.language}\n{block.text}\n```\n"
            elif isinstance(block, Item):
                yield f"- {self.inline(block.text)}"
            else:
                yield f"\n{self.inline(block)}\n"

    def described(self, comment: Comment) -> Iterator[str]:
        """The whole comment, with its parameters and fields."""
        yield from self.blocks(comment)
        fields = [(f"param {name}", text) for name, text in comment.parameters] + comment.labels
        yield "\n" + "\n".join(f":{name}: {self.inline(titled(text))}" for name, text in fields)

    def rules(self, comment: Comment, level: str) -> Iterator[str]:
        """The comment at the top of a header: a paragraph that begins with "Exit." gets this word as its heading."""
        for block in comment.blocks:
            found = re.fullmatch(r"([A-Z][a-z]+)[.,:] ?(.*)", block) if isinstance(block, str) else None
            if found:
                yield f"\n{level} {found.group(1)}\n"
            rest = titled(found.group(2)) if found else block
            if rest:
                yield from self.blocks(Comment([rest]))

    def _plain(self, text: str) -> str:
        text = re.sub(r"([\\\[\]{}<>|$]|(?<!\w)_|\*(?!\w[\w ]*\*)(?<!\w\*))", r"\\\1", text)
        text = re.sub(r"\bdocs/([\w-]+\.md)(#[\w-]+)?", self._guide_link, text)
        return self.names.sub(lambda found: self.linked(found.group()), text)

    def linked(self, name: str) -> str:
        """A name that a comment mentions, with a link if the reference has it."""
        linked = self.symbols.linked(name)
        return linked if linked.startswith("{") else name

    def _guide_link(self, found: re.Match[str]) -> str:
        title, page = self.guide(f"docs/{found.group(1)}")
        return f"[{title}](../{page}{found.group(2) or ''})"
