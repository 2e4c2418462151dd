# SPDX-License-Identifier: Apache-2.0
#
# mandoc and groff make HTML, which Sphinx could not search, and must be installed with apt. Pandoc's wheel has 35 MB.
"""Converts the page remora(1) to Markdown. Knows the syntax that this page uses, and refuses any other."""

from __future__ import annotations

import re

ESCAPES = {r"\-": "-", r"\&": "", r"\e": "\\", r"\(dq": '"', r"\(aq": "'", r"\ ": "\N{NO-BREAK SPACE}"}
# Each letter is the font of an argument; .BR alternates between two.
FONTS = {"B", "I", "BR", "RB", "BI", "IB", "RI", "IR"}
FENCE = "::::"


class UnknownSyntax(Exception):
    """The number of a line, and what the converter does not know in it."""


def text_of(text: str) -> str:
    """A text without escapes. Raises ValueError for an unknown one."""

    def replaced(found: re.Match[str]) -> str:
        if found.group() not in ESCAPES:
            raise ValueError(f"unknown escape {found.group()}")
        return ESCAPES[found.group()]

    return re.sub(r"\\(?:\(..|.|$)", replaced, text)


def arguments(text: str) -> list[str]:
    """The arguments of a request. Those with spaces have quotes."""
    parts = re.findall(r'"([^"]*)"|(\S+)', text)
    return [text_of(quoted or plain) for quoted, plain in parts]


def in_font(font: str, text: str) -> str:
    """A text in bold, which is code, or in italics, which is a placeholder."""
    words = text.strip()
    if not words or font == "R":
        return re.sub(r"([\\\[\]*_`<>|{}])", r"\\\1", text)
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{start}`{words}`{end}" if font == "B" else f"{start}*{in_font('R', words)}*{end}"


class _Converter:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.program = ""
        # What begins a line of the entry of a list, and what ends the entry.
        self.indent = ""
        self.entry_end: list[str] = []
        self.is_term = self.is_example = False

    def read(self, line: str) -> None:
        """Converts a line."""
        found = re.fullmatch(r"\.(\S*) ?(.*)", line)
        request, rest = (found.group(1), found.group(2)) if found else ("", line)
        if request == r"\"":
            return
        if self.is_example:
            self._example(request, rest)
        elif not found:
            self._text(in_font("R", text_of(line)), text_of(line))
        elif request in FONTS:
            fonts, parts = request, arguments(rest)
            if len(fonts) == 1:
                parts = [" ".join(parts)]
            marked = "".join(in_font(fonts[number % len(fonts)], part) for number, part in enumerate(parts))
            self._text(marked, "".join(parts))
        else:
            self._structure(request, arguments(rest))

    def _structure(self, request: str, parts: list[str]) -> None:
        if request == "TH":
            self.lines.append(f"# {parts[0].lower()}({parts[1]})")
        elif request in ("SH", "SS"):
            self._heading(request, " ".join(parts))
        elif request == "PP":
            self._end_entry()
            self.lines.append("")
        elif request == "TP":
            self._end_entry()
            self.is_term = True
        elif request == "br":
            self.lines[-1] += "\\"
        elif request == "nf":
            self.is_example = True
            self.lines.append("\n```sh")
        else:
            raise ValueError(f"unknown request .{request}")

    def _heading(self, request: str, title: str) -> None:
        self._end_entry()
        self.lines.append(f"\n## {title.capitalize()}\n" if request == "SH" else f"\n### {title}\n")
        # The options of a section are those of a command.
        command = re.sub(r"\W+", "-", title.removeprefix("Options of ")) if request == "SS" else ""
        self.program = f"remora {command}".strip()

    def _example(self, request: str, rest: str) -> None:
        if request == "fi":
            self.is_example = False
            self.lines.append("```\n")
        elif request not in ("", "RS", "RE"):
            raise ValueError(f"unknown request .{request} in an example")
        elif not request:
            self.lines.append(text_of(rest))

    def _text(self, marked: str, plain: str) -> None:
        if not self.is_term:
            self.lines.append(self.indent + re.sub(r"^([-+#:])", r"\\\1", marked))
            self.indent = " " * len(self.indent)
        elif plain.startswith("-"):
            self.lines.append(f"\n```{{program}} {self.program}\n```\n{FENCE}{{option}} {plain}\n")
            self.entry_end = [FENCE]
        else:
            self.lines.append(f"\n{marked}")
            self.entry_end, self.indent = [""], ": "
        self.is_term = False

    def _end_entry(self) -> None:
        self.lines += self.entry_end
        self.entry_end, self.indent = [], ""


def converted(page: str) -> str:
    """The page in Markdown. Raises UnknownSyntax."""
    converter = _Converter()
    for number, line in enumerate(page.splitlines(), 1):
        try:
            converter.read(line)
        except ValueError as error:
            raise UnknownSyntax(f"{number}: {error}") from error
    return "\n".join([*converter.lines, *converter.entry_end, ""])
