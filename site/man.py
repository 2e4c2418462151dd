#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# Needs only the standard library, because packaging runs it.
"""Writes the man pages of section 3: one for each function that has a comment of its own, and links for the rest.

A type is described on one page: that of the first function of its section, or else of the first function that needs it.

usage: site/man.py HEADER OUTPUT_DIR
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from comments import Code, Comment, Item, parse
from header import Header, Symbol, on_one_line, read

DEFAULTS = {"Thread": "Any, even inside callbacks and visitors.", "Ownership": "None.", "Blocking": "No."}


def escaped(text: str) -> str:
    """A text in which roff interprets nothing."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("()", "\\&()")
    return "".join(one if one.isascii() else f"\\[u{ord(one):04X}]" for one in text)


def prose(text: str) -> Iterator[str]:
    """The lines of a paragraph: each sentence begins a line."""
    plain = re.sub(r"\*([\w ]+)\*", r"\1", text.replace("`", ""))
    for sentence in re.split(r"(?<=[.!?:]) (?=[A-Z\"])", plain):
        for line in textwrap.wrap(sentence, 70, break_long_words=False, break_on_hyphens=False):
            yield re.sub(r"^([.'])", r"\\&\1", escaped(line))


def verbatim(text: str) -> Iterator[str]:
    """An example."""
    yield ".Bd -literal -offset indent"
    yield from (re.sub(r"^([.'])", r"\\&\1", escaped(line)) for line in text.split("\n"))
    yield ".Ed"


def tagged(items: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A list of terms, each a macro with arguments, and their meanings."""
    lines = [line for term, meaning in items for line in (f".It {term}", *prose(meaning))]
    if lines:
        yield from (".Bl -tag -width Ds", *lines, ".El")


def body(comment: Comment) -> Iterator[str]:
    """The paragraphs and lists of a comment, without its examples and fields."""
    previous: object = None
    for block in comment.blocks:
        if isinstance(previous, Item) and not isinstance(block, Item):
            yield ".El"
        if isinstance(block, Item):
            if not isinstance(previous, Item):
                yield ".Bl -bullet"
            yield from (".It", *prose(block.text))
        elif isinstance(block, str):
            if previous is not None:
                yield ".Pp"
            yield from prose(block)
        previous = block
    if isinstance(previous, Item):
        yield ".El"


def arguments(code: str) -> list[str]:
    """The parameters of a function."""
    parts: list[str] = []
    depth, current = 0, ""
    for one in on_one_line(code)[:-2].partition("(")[2] + ",":
        depth += {"(": 1, ")": -1}.get(one, 0)
        if one == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += one
    return parts


class Manual:
    """The pages of a header."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.functions = [symbol for symbol in header.symbols if symbol.kind == "function"]
        self.heads = [symbol for symbol in self.functions if not symbol.shares_with]
        self.page_of = {symbol.name: symbol.shares_with or symbol.name for symbol in self.functions}
        self.types = {one.name: one for one in header.symbols if one.kind not in ("function", "macro")}
        for symbol in header.symbols:
            if symbol.kind != "function":
                self.page_of[symbol.name] = self._home(symbol)

    def _home(self, symbol: Symbol) -> str:
        own = [head for head in self.heads if head.section == symbol.section]
        needing = [head for head in self.heads if symbol.name in self._needed(head)]
        both = [head for head in own if head in needing]
        return (both or own or needing or self.heads)[0].name

    def _needed(self, function: Symbol) -> set[str]:
        found: set[str] = set()
        waiting = [function.code]
        while waiting:
            for name in set(re.findall(r"\bremora_\w+", re.sub(r"/\*.*?\*/", "", waiting.pop(), flags=re.DOTALL))):
                if name in self.types and name not in found:
                    found.add(name)
                    waiting.append(self.types[name].code)
        return found

    def synopsis(self, functions: list[Symbol]) -> Iterator[str]:
        """The declarations."""
        yield from (".Sh SYNOPSIS", ".In remora.h")
        for symbol in functions:
            returned = on_one_line(symbol.code.partition(symbol.name)[0])
            yield from (f'.Ft "{returned}"', f".Fo {symbol.name}")
            yield from (f'.Fa "{escaped(one)}"' for one in arguments(symbol.code))
            yield ".Fc"

    def described(self, symbol: Symbol) -> Iterator[str]:
        """A type, and the values of an enumeration."""
        comment = parse(symbol.comment)
        yield f".Ss {symbol.name}"
        if symbol.kind == "callback":
            yield from (*verbatim(symbol.code), ".Pp")
        yield from body(comment)
        if symbol.fields or comment.labels:
            yield ".Pp"
        yield from tagged((f"Sy {label}", text) for label, text in comment.labels)
        yield from tagged((f'Va "{escaped(f"{one.type} {one.name}")}"', one.comment) for one in symbol.fields)

    def constants(self, page: str) -> Iterator[str]:
        """The constants that belong to a page."""
        macros = [one for one in self.header.symbols if one.kind == "macro" and self.page_of[one.name] == page]
        if macros:
            yield ".Ss Constants"
        for one in macros:
            value = on_one_line(re.sub(r"^#define \w+(\([^)]*\))?|\\\n", "", one.code))
            yield from tagged([(f'Dv "{one.name}"', f"({value}) {one.comment}" if len(value) < 8 else one.comment)])

    def page(self, head: Symbol) -> Iterator[str]:
        """The page of a function, and of those that share its comment."""
        shared = [one for one in self.functions if self.page_of[one.name] == head.name]
        comment = parse(head.comment)
        yield ".Sh NAME"
        yield from (f".Nm {one.name}" + (" ," if one is not shared[-1] else "") for one in shared)
        summary = str(comment.blocks[0]).split(". ")[0].removesuffix(".")
        summary = escaped(summary[0].lower() + summary[1:]).replace("`", "").replace('"', "\\(dq")
        yield f".Nd {summary}"
        yield from (".Sh LIBRARY", "Remora (libremora, \\-lremora)", *self.synopsis(shared), ".Sh DESCRIPTION")
        group = parse(head.group)
        yield from (*body(comment), ".Pp", *body(group), ".Pp")
        yield from tagged((f"Fa {name}", text) for name, text in comment.parameters)
        labels = DEFAULTS | dict(group.labels) | dict(comment.labels)
        yield from tagged((f"Sy {label}", text) for label, text in labels.items() if label in DEFAULTS)
        for symbol in self.types.values():
            if self.page_of[symbol.name] == head.name:
                yield from self.described(symbol)
        yield from self.constants(head.name)
        if "Returns" in labels:
            yield from (".Sh RETURN VALUES", *prose(labels["Returns"]))
        examples = [block for block in comment.blocks + group.blocks if isinstance(block, Code)]
        yield from [".Sh EXAMPLES"] if examples else []
        for example in examples:
            yield from verbatim(example.text)
        if "Errors" in labels:
            yield from (".Sh ERRORS", *prose(labels["Errors"]))
        yield from self.references(head, shared)

    def references(self, head: Symbol, shared: list[Symbol]) -> Iterator[str]:
        """The pages of what a page mentions."""
        texts = [head.comment, *(one.code for one in shared)]
        named = {name for text in texts for name in re.findall(r"\b(?:remora|REMORA)_\w+", text)}
        pages = {self.page_of[name] for name in named if name in self.page_of} - {head.name}
        yield ".Sh SEE ALSO"
        yield from (f".Xr {page} 3 ," for page in ["remora", *sorted(pages)][:-1])
        yield f".Xr {(['remora', *sorted(pages)])[-1]} 3"

    def overview(self) -> Iterator[str]:
        """The page remora(3): the rules for all functions, and the functions by section."""
        comment = parse(self.header.overview)
        yield from (".Sh NAME", ".Nm remora", ".Nd fetches, verifies and caches the settings that a server publishes")
        yield from (".Sh LIBRARY", "Remora (libremora, \\-lremora)", ".Sh SYNOPSIS", ".In remora.h", ".Sh DESCRIPTION")
        yield from body(comment)
        for section, symbols in self.header.sections.items():
            heads = [one.name for one in symbols if one in self.heads]
            if heads:
                yield from (
                    f".Ss {section.capitalize()}",
                    *(f".Xr {one} 3 ," for one in heads[:-1]),
                    f".Xr {heads[-1]} 3",
                )
        yield ".Sh EXAMPLES"
        for block in comment.blocks:
            if isinstance(block, Code):
                yield from verbatim(block.text)
        yield from (".Sh SEE ALSO", ".Xr remora 1")


def write(header: Path, output: Path) -> list[str]:
    """Writes all pages, and returns their names."""
    manual = Manual(read(header))
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or header.stat().st_mtime))
    output.mkdir(parents=True, exist_ok=True)
    pages = {"remora": manual.overview(), **{head.name: manual.page(head) for head in manual.heads}}
    for name, lines in pages.items():
        day = f"{time.strftime('%B', date)} {date.tm_mday}, {date.tm_year}"
        top = [f".Dd {day}", f".Dt {name.upper()} 3", ".Os"]
        text = re.sub(r"\.Pp\n(?=\.(?:Bl|Ss|Sh|Bd|Pp))", "", "\n".join([*top, *lines]) + "\n")
        (output / f"{name}.3").write_text(text, encoding="utf-8")
    for name, page in manual.page_of.items():
        if name not in pages:
            (output / f"{name}.3").write_text(f".so man3/{page}.3\n", encoding="utf-8")
    return sorted({*pages, *manual.page_of})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(Path(sys.argv[1]), Path(sys.argv[2]))
