# SPDX-License-Identifier: Apache-2.0
#
# Needs only the standard library, because packaging makes the man pages with it.
"""The parts of a comment of include/remora.h: text, code, parameters, and fields such as Thread and Blocking."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_CODE = re.compile(r"@code\n(.*?)\n?[ \t]*@endcode", re.DOTALL)
_LABEL = r"(?:Thread|Ownership|Blocking): "
_FIRST_FIELD = re.compile(rf"^@(?:param|return) |(?:^|(?<=\. )){_LABEL}", re.MULTILINE)
_NEXT_FIELD = re.compile(rf"^(?=@(?:param|return) )|(?:^|(?<=\. ))(?={_LABEL})", re.MULTILINE)
# What separates the statuses of a success from those of failures: "REMORA_OK; network errors."
_CLAUSE = re.compile(r"[;.] (?=[^;.]*(?:REMORA_ERR_|\berrors\b|[Oo]therwise|On failure))")


@dataclass(frozen=True)
class Code:
    """An example."""

    text: str


@dataclass(frozen=True)
class Item:
    """An item of a list."""

    text: str


@dataclass(frozen=True)
class Comment:
    """A comment. Strings in `blocks` are paragraphs."""

    blocks: list[str | Code | Item] = field(default_factory=list)
    parameters: list[tuple[str, str]] = field(default_factory=list)
    labels: list[tuple[str, str]] = field(default_factory=list)


def _blocks(text: str) -> list[str | Code | Item]:
    blocks: list[str | Code | Item] = []
    for number, part in enumerate(_CODE.split(text)):
        if number % 2:
            blocks.append(Code(part))
            continue
        for paragraph in re.split(r"\n\s*\n|\n(?=- )", part):
            words = " ".join(paragraph.split())
            if words.startswith("- "):
                blocks.append(Item(words[2:]))
            elif words:
                blocks.append(words)
    return blocks


def _result(text: str) -> list[tuple[str, str]]:
    found = _CLAUSE.search(text)
    if not found or not text.startswith("REMORA_OK"):
        return [("Returns", text)]
    errors = text[found.end() :]
    return [("Returns", text[: found.start()] + "."), ("Errors", errors[0].upper() + errors[1:])]


def parse(text: str) -> Comment:
    """Splits the text of a comment into its parts."""
    codes = [Code(code) for code in _CODE.findall(text)]
    found = _FIRST_FIELD.search(text)
    if not found:
        return Comment(_blocks(text))
    blocks = _blocks(text[: found.start()])
    comment = Comment([*blocks, *codes[sum(isinstance(block, Code) for block in blocks) :]])
    for part in _NEXT_FIELD.split(_CODE.sub("", text[found.start() :])):
        words = " ".join(part.split())
        if words.startswith("@param "):
            _, name, meaning = words.split(" ", 2)
            comment.parameters.append((name, meaning))
        elif words.startswith("@return "):
            comment.labels.extend(_result(words.removeprefix("@return ")))
        elif words:
            label, _, meaning = words.partition(": ")
            comment.labels.append((label, meaning[0].upper() + meaning[1:]))
    return comment
