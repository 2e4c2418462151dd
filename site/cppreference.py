# SPDX-License-Identifier: Apache-2.0
"""The pages of the C++ reference: the conventions, and one page for each header that has public names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from comments import parse
from cppcomments import Completion, summary
from cppheader import CppHeader, Declaration
from header import Header
from markdown import Symbols
from prose import Prose

DIRECTIVES = {"enum": "enum-class", "constant": "var", "alias": "type"}
# Members that are rows of a table, and have no entries of their own.
ROWS = ("field", "enumerator")


def page_of(path: str) -> str:
    """The page of a header such as include/remora/client.hpp."""
    name = PurePosixPath(path).stem
    return "cpp-api/index.md" if name == "remora" else f"cpp-api/{name}.md"


class CppProse(Prose):
    """Comments of the C++ headers. `faults` are the names in them that do not exist."""

    language = "cpp"
    names = re.compile(rf"{Prose.names.pattern}|(?<![\w:.])[a-z]\w*(?:::\w+)*(?:\(\))?")

    def __init__(self, headers: list[CppHeader], symbols: Symbols, guide: Callable[[str], tuple[str, str]]) -> None:
        super().__init__(symbols, guide)
        self.path = self.scope = ""
        self.faults: list[str] = []
        # The entry of each name.
        self.entries: dict[str, str] = {}
        for one in (each for header in headers for each in header.declarations):
            self.entries[one.path] = one.path
            for member in one.members:
                self.entries.setdefault(member.path, one.path if member.kind in ROWS else member.path)

    def linked(self, name: str) -> str:
        """A name that a comment mentions: it has a namespace or class, or parentheses, or an underscore."""
        path = name.removesuffix("()").removeprefix("remora::")
        if name.startswith(("remora_", "REMORA_")):
            return super().linked(name)
        is_call, is_qualified = name.endswith("()"), name.startswith("remora::")
        if not (is_call or is_qualified or "::" in path or "_" in path):
            return name
        entry = (self.entries.get(f"{self.scope}::{path}") if is_call else None) or self.entries.get(path)
        if entry:
            return f"{{cpp:any}}`{name} <remora::{entry}>`"
        if is_qualified:
            self.faults.append(f"{self.path}: a comment mentions {name}, which does not exist")
        return name


class CppReference:
    """The pages. `faults` are the declarations without a comment, and wrong names in comments."""

    def __init__(
        self, headers: list[CppHeader], header: Header, symbols: Symbols, guide: Callable[[str], tuple[str, str]]
    ) -> None:
        completion = Completion(headers, header)
        self.headers, self.faults = completion.headers, completion.faults
        self.symbols, self.prose = symbols, CppProse(self.headers, symbols, guide)

    def pages(self) -> Iterator[tuple[str, str, str]]:
        """The headers, and the names and texts of their pages."""
        for one in self.headers:
            self.prose.path, self.prose.scope = one.path, ""
            lines = self._page(one) if one.declarations else self._index(one)
            yield one.path, page_of(one.path), "\n".join(lines)
        self.faults += self.prose.faults

    def _page(self, header: CppHeader) -> Iterator[str]:
        yield f"# C++: {PurePosixPath(header.path).stem}\n\n```cpp\n#include <remora.hpp>\n```\n"
        yield from self.prose.described(parse(header.overview))
        yield "\n```{cpp:namespace} remora\n```\n"
        yield from self._declarations(header.declarations, 0, "")

    def _declarations(self, declarations: Iterable[Declaration], depth: int, parent: str) -> Iterator[str]:
        blocks: list[list[Declaration]] = []
        listed = {parent}
        for one in declarations:
            if one.is_overload:
                blocks[-1].append(one)
            elif one.kind not in ROWS:
                blocks.append([one])
        for block in blocks:
            if block[0].group:
                yield from self.prose.blocks(parse(block[0].group))
            name = block[0].name
            # The contents of the page have each name once, and no constructors.
            is_listed = name not in listed and not name.startswith("operator ")
            listed.add(name)
            yield from self._block(block, depth, is_listed)

    def _block(self, block: list[Declaration], depth: int, is_listed: bool) -> Iterator[str]:
        head, fence = block[0], ":" * (6 - depth)
        directive = DIRECTIVES.get(head.kind, head.kind)
        for number, code in enumerate(dict.fromkeys(one.code for one in block)):
            if number:
                yield fence
            yield f"\n{fence}{{cpp:{directive}}} {code}"
            if number or not is_listed:
                yield ":no-contents-entry:"
        self.prose.scope = head.path if head.members else head.path.rpartition("::")[0]
        comment = parse(head.comment)
        mentioned = re.findall(r"\w+", head.comment)
        calls = dict.fromkeys(name for one in block for name in one.calls if name not in mentioned)
        if calls:
            comment.labels.append(("In C", ", ".join(calls)))
        yield from self.prose.described(comment)
        yield from self._rows(head)
        yield from self._declarations(head.members, depth + 1, head.name)
        yield fence

    def _rows(self, one: Declaration) -> Iterator[str]:
        rows = [member for member in one.members if member.kind in ROWS]
        if rows:
            yield "\n| value | in C | meaning |" if one.kind == "enum" else "\n| field | type | meaning |"
            yield "|---|---|---|"
        for row in rows:
            meaning = " ".join(
                self.prose.inline(block) for block in parse(row.comment).blocks if isinstance(block, str)
            )
            yield f"| `{row.name}` | {self._in_code(row)} | {meaning} |"
        if rows:
            yield ""

    def _in_code(self, row: Declaration) -> str:
        """The type and the initial value of a field, or the constant of an enumerator."""
        if row.kind == "enumerator":
            value = row.code.partition(" = ")[2]
            return self.symbols.linked(value) if value else ""
        type_ = re.sub(rf" ?\b{row.name}(?=$| =|{{)", "", row.code, count=1)
        return f"`{type_}`"

    def _index(self, top: CppHeader) -> Iterator[str]:
        yield "# C++ API\n"
        yield from self.prose.rules(parse(top.overview), "##")
        shown = {PurePosixPath(one.path).stem: one for one in self.headers if one.declarations}
        for stem, header in shown.items():
            name = header.path.removeprefix("include/")
            yield f"\n## {stem}\n\n[{name}]({stem}.md): {self.prose.inline(header.overview)}"
            yield "\n| name | meaning |\n|---|---|"
            for one in header.declarations:
                if not one.is_overload:
                    meaning = self.prose.inline(summary(one.comment))
                    yield f"| {{cpp:any}}`{one.name} <remora::{one.path}>` | {meaning} |"
        names = "\n".join(f"{stem} <{stem}>" for stem in shown)
        yield f"\n```{{toctree}}\n:hidden:\n{names}\n```\n"
