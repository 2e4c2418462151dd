# SPDX-License-Identifier: Apache-2.0
"""Reads the public declarations of include/remora/*.hpp with libclang."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from clang.cindex import (  # type: ignore[import-not-found]
    AccessSpecifier,
    AvailabilityKind,
    CursorKind,
    Diagnostic,
    Index,
    TokenKind,
)
from header import on_one_line

Kind = Literal["class", "struct", "enum", "function", "constant", "alias", "field", "enumerator"]
# The types of libclang are unknown to mypy.
Cursor = Any

_KINDS: dict[Any, Kind] = {
    CursorKind.CLASS_DECL: "class",
    CursorKind.CLASS_TEMPLATE: "class",
    CursorKind.STRUCT_DECL: "struct",
    CursorKind.ENUM_DECL: "enum",
    CursorKind.FUNCTION_DECL: "function",
    CursorKind.FUNCTION_TEMPLATE: "function",
    CursorKind.CXX_METHOD: "function",
    CursorKind.CONSTRUCTOR: "function",
    CursorKind.CONVERSION_FUNCTION: "function",
    CursorKind.VAR_DECL: "constant",
    CursorKind.TYPE_ALIAS_DECL: "alias",
    CursorKind.FIELD_DECL: "field",
    CursorKind.ENUM_CONSTANT_DECL: "enumerator",
}
_TEMPLATE_PARAMETERS = (CursorKind.TEMPLATE_TYPE_PARAMETER, CursorKind.TEMPLATE_NON_TYPE_PARAMETER)
_REFERENCES = (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR)
_PUBLIC = (AccessSpecifier.PUBLIC, AccessSpecifier.INVALID)
_COMPOUND = ("class", "struct", "enum")
# Words of a declaration that mean nothing to a caller.
_NOISE = re.compile(r"\[\[[^\]]*\]\]\s*|\binline\s+")


class Unreadable(Exception):
    """What the compiler says about the headers."""


@dataclass(frozen=True)
class Declaration:
    """A public declaration. `path` is its name inside the namespace remora, such as "client::close"; `group` is the
    plain comment above a group of declarations; `calls` are the functions of remora.h that it calls. `is_overload`: it
    has no comment, and shares that of the function above it, which has the same name."""

    kind: Kind
    path: str
    code: str
    line: int
    comment: str = ""
    group: str = ""
    calls: tuple[str, ...] = ()
    is_overload: bool = False
    members: tuple[Declaration, ...] = ()

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("::")[2]


@dataclass(frozen=True)
class CppHeader:
    """A header: its path, the comment at its top, and its declarations in their order."""

    path: str
    overview: str
    declarations: list[Declaration] = field(default_factory=list)


def stripped(comment: str) -> str:
    """The text of a comment of lines without its marks."""
    return "\n".join(re.sub(r"^\s*//[/!]?<? ?", "", line).rstrip() for line in comment.split("\n")).strip()


def arguments(root: Path) -> list[str]:
    """The arguments of the compiler. libclang has no stddef.h of its own, but finds the C++ library of GCC."""
    found = sorted(
        Path("/usr/lib/gcc").glob("*/*/include/stddef.h"), key=lambda path: int(path.parts[-3].split(".")[0])
    )
    system = ["-isystem", str(found[-1].parent)] if found else []
    return ["-x", "c++", "-std=c++17", "-I", str(root / "include"), *system]


def functions_called(cursor: Cursor, seen: frozenset[str] = frozenset()) -> list[str]:
    """The functions of remora.h that a function calls; if none, those that it calls through methods of its class."""
    direct: dict[str, None] = {}
    methods: dict[str, Cursor] = {}
    for one in (cursor.get_definition() or cursor).walk_preorder():
        # In a generic lambda, the compiler has not chosen the function yet.
        if one.kind == CursorKind.OVERLOADED_DECL_REF and one.spelling.startswith("remora_"):
            direct[one.spelling] = None
        target = one.referenced if one.kind in _REFERENCES else None
        if target is None:
            continue
        if target.kind == CursorKind.FUNCTION_DECL and target.spelling.startswith("remora_"):
            direct[target.spelling] = None
        elif target.kind == CursorKind.CXX_METHOD and target.semantic_parent == cursor.semantic_parent:
            methods[target.get_usr()] = target
    if direct:
        return list(direct)
    seen |= {cursor.get_usr()}
    found = [name for usr, method in methods.items() if usr not in seen for name in functions_called(method, seen)]
    return list(dict.fromkeys(found))


class _File:
    """A header while it is read."""

    def __init__(self, root: Path, path: Path, unit: Any) -> None:
        self.name, self.path = str(path.relative_to(root)), str(path)
        self.text = path.read_bytes()
        # The first and last line of each comment of whole lines, and its text.
        self.blocks: list[tuple[int, int, str]] = []
        whole = unit.get_extent(self.path, (0, len(self.text)))
        for token in unit.get_tokens(extent=whole):
            line, text = token.location.line, token.spelling
            first, last, above = self.blocks[-1] if self.blocks else (0, 0, "")
            if token.kind == TokenKind.COMMENT and last == line - 1 and self._marks(above) == self._marks(text):
                self.blocks[-1] = (first, line, f"{above}\n{text}")
            elif token.kind == TokenKind.COMMENT:
                self.blocks.append((line, line, text))

    @staticmethod
    def _marks(comment: str) -> str:
        found = re.match(r"/+<?", comment)
        return found.group() if found else ""

    def overview(self) -> str:
        """The comment that begins with "@file"."""
        for _, _, text in self.blocks:
            if found := re.fullmatch(r"@file \S+ (.*)", stripped(text), re.DOTALL):
                return found.group(1)
        return ""

    def slice(self, start: int, end: int) -> str:
        """A part of the text, with single spaces."""
        return on_one_line(self.text[start:end].decode())

    def declarations(self, parent: Cursor, path: str = "") -> Iterator[Declaration]:
        """The public declarations of a namespace or a class."""
        end = parent.extent.start.line
        above: Declaration | None = None
        for cursor in parent.get_children():
            if cursor.location.file is None or cursor.location.file.name != self.path:
                continue
            before, end = end, cursor.extent.end.line
            if cursor.kind == CursorKind.NAMESPACE and cursor.spelling == "remora":
                yield from self.declarations(cursor)
            elif self._is_public(cursor, parent):
                one = self._declaration(cursor, path, before)
                is_next_line = cursor.extent.start.line == before + 1
                is_alike = above is not None and (above.name, one.name) in ((one.name, one.name), ("begin", "end"))
                if above and is_alike and is_next_line and not one.comment:
                    one = replace(one, is_overload=bool(above.comment) or above.is_overload)
                above = one
                yield one

    def _is_public(self, cursor: Cursor, parent: Cursor) -> bool:
        if cursor.kind not in _KINDS or cursor.access_specifier not in _PUBLIC:
            return False
        is_first = cursor.is_definition() if _KINDS[cursor.kind] in _COMPOUND else cursor.canonical == cursor
        is_own = cursor.semantic_parent is not None and cursor.semantic_parent.get_usr() == parent.get_usr()
        # What does not compile is not part of the API. The comment of a class says whether it can be copied or moved.
        # The extent of a template ends before "= delete".
        is_deleted = cursor.availability == AvailabilityKind.NOT_AVAILABLE or bool(
            re.match(rb"\s*= delete", self.text[cursor.extent.end.offset :])
        )
        is_copy = cursor.is_copy_constructor() or cursor.is_move_constructor() or cursor.spelling == "operator="
        is_in_remora = parent.kind != CursorKind.TRANSLATION_UNIT
        return is_first and is_own and is_in_remora and not (is_deleted or is_copy)

    def _declaration(self, cursor: Cursor, path: str, before: int) -> Declaration:
        kind = _KINDS[cursor.kind]
        # The spelling of a constructor of a template has the parameters.
        inner = f"{path}::{cursor.spelling.partition('<')[0]}".removeprefix("::")
        return Declaration(
            kind,
            inner,
            _NOISE.sub("", self._code(cursor, kind)),
            cursor.location.line,
            stripped(cursor.raw_comment or ""),
            self._group(before, cursor.extent.start.line),
            tuple(functions_called(cursor)) if kind == "function" else (),
            members=tuple(self.declarations(cursor, inner)) if kind in _COMPOUND else (),
        )

    def _group(self, after: int, before: int) -> str:
        for first, end, text in self.blocks:
            if after < first and end < before and self._marks(text) == "//" and "SPDX" not in text:
                return stripped(text)
        return ""

    def _code(self, cursor: Cursor, kind: Kind) -> str:
        start, name, end = cursor.extent.start.offset, cursor.location.offset, cursor.extent.end.offset
        if kind == "function":
            return self._function(cursor)
        if kind in _COMPOUND:
            template = re.match(r"template\s*<.*>", self.slice(start, name))
            head = self.slice(name, self.text.index(b"{", name))
            return f"{template.group()} {head}" if template else head
        return self.slice(name if kind in ("alias", "enumerator") else start, end)

    def _function(self, cursor: Cursor) -> str:
        """The declaration of a function up to its body or initializers, without unnamed parameters of its template."""
        depth, has_parameters, end = 0, False, cursor.extent.end.offset
        for token in cursor.get_tokens():
            if depth == 0 and (token.spelling in ("{", ";") or (has_parameters and token.spelling in (":", "="))):
                end = token.extent.start.offset
                break
            depth += {"(": 1, ")": -1}.get(token.spelling, 0)
            has_parameters = has_parameters or (token.spelling == ")" and depth == 0)
        text, start = "", cursor.extent.start.offset
        for one in cursor.get_children():
            if one.kind in _TEMPLATE_PARAMETERS and not one.spelling:
                text += self.slice(start, one.extent.start.offset).rstrip(", ")
                start = one.extent.end.offset
        return re.sub(r"^template <>\s*", "", text + self.slice(start, end))


def read(root: Path) -> list[CppHeader]:
    """Reads the headers of a tree: first remora.hpp, then those in include/remora. Raises Unreadable."""
    top = root / "include" / "remora.hpp"
    unit = Index.create().parse(str(top), args=arguments(root))
    errors = [one for one in unit.diagnostics if one.severity >= Diagnostic.Error]
    if errors:
        place = errors[0].location
        hint = " (the C++ library comes with g++)" if "file not found" in errors[0].spelling else ""
        raise Unreadable(f"{place.file}:{place.line}: {errors[0].spelling}{hint}".replace(f"{root}/", ""))
    included = {Path(one.include.name).resolve() for one in unit.get_includes()}
    paths = sorted(top.with_suffix("").glob("*.hpp"))
    if lost := [path.name for path in paths if path.resolve() not in included]:
        raise Unreadable(f"include/remora.hpp: does not include {', '.join(lost)}")
    files = [_File(root, path, unit) for path in [top, *paths]]
    return [CppHeader(one.name, one.overview(), list(one.declarations(unit.cursor))) for one in files]
