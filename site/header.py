# SPDX-License-Identifier: Apache-2.0
#
# Needs only the standard library, because packaging makes the man pages with it.
"""Reads include/remora.h: its sections, and their symbols with comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

Kind = Literal["function", "callback", "struct", "handle", "typedef", "macro"]

_TOKENS = re.compile(
    r"""(?P<section>/\*\ -{5,}\ (?P<title>[^\n]+?)\ -{3}\ \*/)
    | (?P<after>/\*\*<.*?\*/)
    | (?P<comment>/\*\*.*?\*/)
    | (?P<plain>/\*.*?\*/)
    | (?P<macro>\#define\ (?:(?!/\*)(?:\\\n|[^\n]))*)
    | (?P<end>\#ifdef\ __cplusplus)
    | (?P<declaration>^[a-z][^;{]*(?:\{.*?^\}[^;]*)?;)
    | (?P<blank>\n[ \t]*(?=\n))""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_FIELD = re.compile(r"([^;/]+);[ \t]*(/\*\*<.*?\*/)?", re.DOTALL)
_NAME = re.compile(r"\(\*(\w+)\)|(\w+)(?:\[\d+\])?$")
# Fields whose names say enough, because they mean the same in each structure.
CONVENTIONS = {
    r"struct_size": "The size of the structure; REMORA_INIT sets it.",
    r"(?:\w+_)?free_user_data": "Called once with the user data, when Remora needs them no more.",
    r"(?:\w+_)?user_data": "Passed to the callback.",
    r"(\w+)_(?:length|size)": r"The length of \1, in bytes.",
    r"(\w+)_count": r"The number of elements of \1s.",
    r"key": "The key.",
    r"name": "The name.",
    r"node|region": "Private.",
}


class MissingComment(Exception):
    """The symbols of the header that have no comment."""

    def __init__(self, names: list[str]) -> None:
        super().__init__("no comment in include/remora.h: " + ", ".join(names))


@dataclass(frozen=True)
class Field:
    """A field of a structure. Its comment is derived from its name or type if the header has none."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True)
class Symbol:
    """A declaration. `group` is the plain comment above a group of symbols; the first of them has `opens_group`. A
    function without a comment of its own shares that of the function above it, which `shares_with` names."""

    kind: Kind
    name: str
    code: str
    section: str
    comment: str = ""
    group: str = ""
    opens_group: bool = False
    shares_with: str = ""
    fields: tuple[Field, ...] = ()
    is_value: bool = False


@dataclass(frozen=True)
class Header:
    """The comment of the file, and its symbols in their order."""

    overview: str
    symbols: list[Symbol] = field(default_factory=list)

    @property
    def sections(self) -> dict[str, list[Symbol]]:
        """The symbols by section."""
        sections: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            sections.setdefault(symbol.section, []).append(symbol)
        return sections


def stripped(comment: str) -> str:
    """The text of a comment without its marks and indentation."""
    lines = [re.sub(r"^ \*(?: |$)", "", line) for line in re.sub(r"^/\*+<?|\*/$", "", comment).split("\n")]
    depth = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0].strip(), *(line[depth:].rstrip() for line in lines[1:])]).strip()


def on_one_line(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def _kind_and_name(code: str) -> tuple[Kind, str]:
    patterns: list[tuple[Kind, str]] = [
        ("macro", r"#define (\w+)"),
        ("struct", r"typedef struct \w+ \{.*\} (\w+);$"),
        ("handle", r"typedef struct \w+ (\w+);$"),
        ("callback", r"typedef [^(]*\(\*(\w+)\)"),
        ("typedef", r"typedef .*?(\w+);$"),
        ("function", r"[^(]*?(\w+)\("),
    ]
    for kind, pattern in patterns:
        if found := re.match(pattern, code, re.DOTALL):
            return kind, found.group(1)
    raise ValueError(f"include/remora.h has a declaration of an unknown kind: {code}")


def _fields(code: str) -> Iterator[Field]:
    for declared, comment in _FIELD.findall(code[code.index("{") + 1 : code.rindex("}")]):
        text = on_one_line(declared)
        if not (found := _NAME.search(text)):
            raise ValueError(f"include/remora.h has a field without a name: {text}")
        name = found.group(1) or found.group(2)
        type_ = text[: found.start(2)] + text[found.end(2) :] if found.group(2) else text.replace(name, "")
        yield Field(name, on_one_line(type_), on_one_line(stripped(comment)))


class _Reader:
    def __init__(self) -> None:
        self.symbols: list[Symbol] = []
        self.section = self.comment = self.group = ""
        self.opens_group, self.is_new_paragraph = False, True

    def read(self, found: re.Match[str]) -> None:
        text = found.group()
        match found.lastgroup:
            case "section" | "title":
                self.section, self.comment, self.group = found.group("title").strip(), "", ""
            case "comment":
                self.comment = stripped(text)
            case "plain":
                self.group, self.opens_group = stripped(text), True
            case "after":
                last = self.symbols[-1]
                self.symbols[-1] = replace(last, comment=on_one_line(stripped(text)), shares_with="")
            case "blank":
                self.is_new_paragraph = True
                return
            case _:
                self._declare(text.strip())
        self.is_new_paragraph = False

    def _declare(self, code: str) -> None:
        kind, name = _kind_and_name(code)
        above = None if self.is_new_paragraph or not self.symbols else self.symbols[-1]
        comment, shares_with = self.comment, ""
        if above and kind == above.kind == "function" and not comment:
            shares_with = above.shares_with or above.name
        if kind in ("typedef", "macro") and self.opens_group and not comment:
            comment, self.group, self.opens_group = self.group, "", False
        is_value = kind == "macro" and above is not None and above.kind in ("typedef", "macro")
        fields = tuple(_fields(code)) if kind == "struct" else ()
        symbol = Symbol(
            kind, name, code, self.section, comment, self.group, self.opens_group, shares_with, fields, is_value
        )  # fmt: skip
        self.symbols.append(symbol)
        self.comment, self.opens_group = "", False


def _with_conventions(symbol: Symbol, types: set[str]) -> tuple[Symbol, list[str]]:
    fields, missing = [], []
    for one in symbol.fields:
        text = one.comment
        for pattern, meaning in CONVENTIONS.items():
            if not text and (found := re.fullmatch(pattern, one.name)):
                text = found.expand(meaning)
        if not text and one.type.removeprefix("const ").rstrip(" *") in types:
            text = f"See {one.type.removeprefix('const ').rstrip(' *')}."
        if not text:
            missing.append(f"{symbol.name}.{one.name}")
        fields.append(replace(one, comment=text))
    # The name of a value of an enumeration says enough.
    if not (symbol.comment or symbol.shares_with or symbol.is_value):
        missing.append(symbol.name)
    return replace(symbol, fields=tuple(fields)), missing


def parse(text: str) -> Header:
    """Reads the text of the header. Raises MissingComment."""
    first = re.search(r"^/\* -{5,} ", text, re.MULTILINE)
    overview = re.search(r"^/\*\*\n.*?\*/", text, re.DOTALL | re.MULTILINE)
    if not first or not overview:
        raise ValueError("include/remora.h has no sections, or no comment at its top")
    reader = _Reader()
    for found in _TOKENS.finditer(text, first.start()):
        if found.lastgroup == "end":
            break
        reader.read(found)
    types = {symbol.name for symbol in reader.symbols if symbol.kind in ("typedef", "callback")}
    symbols, missing = [], []
    for symbol in reader.symbols:
        complete, names = _with_conventions(symbol, types)
        symbols.append(complete)
        missing += names
    if missing:
        raise MissingComment(missing)
    return Header(re.sub(r"^@file \S+ ", "", stripped(overview.group())), symbols)


def read(path: Path) -> Header:
    """Reads the header at a path. Raises MissingComment."""
    return parse(path.read_text(encoding="utf-8"))
