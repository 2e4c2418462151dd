# SPDX-License-Identifier: Apache-2.0
"""Completes the comments of the C++ headers, which state only what differs from remora.h, with those of remora.h."""

from __future__ import annotations

import re
from dataclasses import replace

from comments import parse
from cppheader import CppHeader, Declaration
from header import Header

# Functions whose declarations say enough, because they mean the same in each class.
CONSTRUCTORS = {"class": "Creates an empty object.", "struct": "Sets each field to its default."}
CONVENTIONS = {
    r"explicit operator bool\(\) const noexcept": "Returns whether the object is not empty.",
    r"explicit \w+\((?:const )?remora_\w+ [&*]?raw\)(?: noexcept)?": "Converts a structure of the C API.",
}
# Fields whose names say enough.
FIELDS = {
    "key": "The key.",
    "name": "The name.",
    "reason": "The reason of a failure.",
    "timeout": "The longest time to wait.",
    "value": "The value.",
}
_DESCRIBED = ("class", "struct", "enum", "function", "constant", "alias", "field")


def summary(comment: str) -> str:
    """The first sentence of a comment."""
    blocks = parse(comment).blocks
    first = blocks[0] if blocks and isinstance(blocks[0], str) else ""
    return re.sub(r":$", ".", re.split(r"(?<=[.:]) (?=[A-Z`])", first)[0])


class Completion:
    """The headers with complete comments. `faults` are the declarations that have none."""

    def __init__(self, headers: list[CppHeader], header: Header) -> None:
        self.symbols = {symbol.name: symbol for symbol in header.symbols}
        self.faults: list[str] = []
        self.headers = [
            replace(one, declarations=[self._completed(each, None, one.path) for each in one.declarations])
            for one in headers
        ]
        self.faults += [f"{one.path}: no comment at its top" for one in headers if not one.overview]

    def _completed(self, one: Declaration, parent: Declaration | None, path: str) -> Declaration:
        comment = one.comment or self._derived(one, parent)
        if not comment and one.kind in _DESCRIBED and not one.is_overload:
            self.faults.append(f"{path}:{one.line}: remora::{one.path} has no comment")
        members = tuple(self._completed(member, one, path) for member in one.members)
        return replace(one, comment=comment, members=members)

    def _derived(self, one: Declaration, parent: Declaration | None) -> str:
        last_word = one.code.rpartition(" ")[2]
        if one.kind == "function":
            return self._of_function(one, parent)
        if one.kind == "field":
            fields = self._fields_in_c(parent) if parent else {}
            return fields.get(one.name) or fields.get(f"{one.name}_ms") or FIELDS.get(one.name, "")
        if one.kind == "enum":
            return summary(self._comment(last_word))
        return self._comment(last_word) if one.kind == "enumerator" else ""

    @staticmethod
    def _of_function(one: Declaration, parent: Declaration | None) -> str:
        if parent and re.fullmatch(rf"{parent.name}\(\)(?: noexcept)?", one.code):
            return CONSTRUCTORS[parent.kind]
        return next((text for code, text in CONVENTIONS.items() if re.fullmatch(code, one.code)), "")

    def _fields_in_c(self, one: Declaration) -> dict[str, str]:
        """The comments of the fields of the structure of remora.h that a class corresponds to."""
        texts = [one.comment, *(member.code for member in one.members if member.kind == "function")]
        for name in (f"remora_{one.name}", *re.findall(r"\bremora_\w+", " ".join(texts))):
            symbol = self.symbols.get(name)
            if symbol and symbol.fields:
                return {field.name: field.comment for field in symbol.fields}
        return {}

    def _comment(self, name: str) -> str:
        return self.symbols[name].comment if name in self.symbols else ""
