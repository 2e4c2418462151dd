# SPDX-License-Identifier: Apache-2.0
"""The pages of the C reference: the rules for all functions, and one page for each section of the header."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from comments import parse
from header import Header, Symbol, on_one_line
from markdown import Symbols
from prose import Prose, titled

FENCE = "::::"


def slug(section: str) -> str:
    """The name of the page of a section."""
    return re.sub(r"\W+", "-", section.lower())


class Reference:
    """The pages of a header. `guide` returns the title and page of a guide such as docs/errors.md."""

    def __init__(self, header: Header, symbols: Symbols, guide: Callable[[str], tuple[str, str]]) -> None:
        self.header, self.symbols, self.prose = header, symbols, Prose(symbols, guide)

    def pages(self) -> Iterator[tuple[str, str]]:
        """The names and texts of all pages."""
        yield "c/index.md", self._index()
        for section, symbols in self.header.sections.items():
            yield f"c/{slug(section)}.md", "\n".join(self._section(section, symbols))

    def _functions(self, symbols: list[Symbol]) -> Iterator[str]:
        comment, group = parse(symbols[0].comment), parse(symbols[0].group)
        own = {label for label, _ in comment.labels}
        comment.labels.extend(one for one in group.labels if one[0] not in own)
        for symbol in symbols[:-1]:
            yield f"\n{FENCE}{{c:function}} {on_one_line(symbol.code).rstrip(';')}\n{FENCE}"
        yield f"\n{FENCE}{{c:function}} {on_one_line(symbols[-1].code).rstrip(';')}"
        yield from (*self.prose.described(comment), FENCE)

    def _type(self, symbol: Symbol) -> Iterator[str]:
        if symbol.kind in ("struct", "handle"):
            yield f"\n{FENCE}{{c:struct}} {symbol.name}"
        else:
            yield f"\n{FENCE}{{c:type}} {on_one_line(symbol.code).removeprefix('typedef ').rstrip(';')}"
        yield from self.prose.described(parse(symbol.comment))
        if symbol.fields:
            yield "\n| field | type | meaning |\n|---|---|---|"
        for one in symbol.fields:
            yield f"| `{one.name}` | `{one.type}` | {self.prose.inline(one.comment)} |"
        yield FENCE

    def _macro(self, symbol: Symbol) -> Iterator[str]:
        found = re.match(r"#define (\w+(?:\([^)]*\))?)(.*)", symbol.code, re.DOTALL)
        if not found:
            raise ValueError(symbol.code)
        value = on_one_line(found.group(2).replace("\\\n", "")).strip("()")
        yield f"\n{FENCE}{{c:macro}} {found.group(1)}"
        text = "\n".join(self.prose.blocks(parse(symbol.comment))).strip()
        yield text if "(" in found.group(1) else f"`{value}` {text}"
        yield FENCE

    def _section(self, section: str, symbols: list[Symbol]) -> Iterator[str]:
        yield f"# C: {section}\n\n```c\n#include <remora.h>\n```"
        for symbol in symbols:
            if symbol.opens_group:
                yield from self.prose.blocks(parse(symbol.group))
            if symbol.kind == "macro":
                yield from self._macro(symbol)
            elif symbol.kind != "function":
                yield from self._type(symbol)
            elif not symbol.shares_with:
                yield from self._functions([symbol, *(one for one in symbols if one.shares_with == symbol.name)])

    def _index(self) -> str:
        sections = self.header.sections
        lines = [
            "# C reference\n",
            "One header, `remora.h`, and one library: compile with `pkg-config --cflags --libs remora`.",
        ]
        lines.append(
            "Each page is a section of the header. The man pages, such as `man 3 remora_refresh`, have the same text."
        )
        lines.append("\n| section | functions, or types |\n|---|---|")
        for section, symbols in sections.items():
            functions = [one for one in symbols if one.kind == "function"]
            listed = functions or [one for one in symbols if one.kind != "macro"]
            names = ", ".join(self.symbols.linked(one.name) for one in listed)
            lines.append(f"| [{titled(section)}]({slug(section)}.md) | {names} |")
        lines.append("\n## Rules for all functions\n")
        lines += self.prose.rules(parse(self.header.overview), "###")
        toctree = "\n".join(f"{titled(section)} <{slug(section)}>" for section in sections)
        return "\n".join([*lines, "\n```{toctree}\n:hidden:", toctree, "```\n"])
