# SPDX-License-Identifier: Apache-2.0
"""The pages of the Python reference. griffe reads the sources, so that nothing is imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import griffe

MODULES = ("remora", "remora.aio", "remora.testing", "remora_pytest")
STARS = {"variadic positional": "*", "variadic keyword": "**"}


def resolved(one: griffe.Object | griffe.Alias) -> griffe.Object:
    """What a name stands for."""
    return one.final_target if isinstance(one, griffe.Alias) else one


def docstring(one: griffe.Object) -> str:
    """The text of a docstring; empty if there is none."""
    return one.docstring.value.strip() if one.docstring else ""


def annotation(one: griffe.Expr | str | None) -> str:
    """A type as it is written."""
    return "" if one is None else str(one).replace("_typing.", "").replace("\n", " ")


def signature(function: griffe.Function, is_method: bool) -> str:
    """The parameters and the result of a function."""
    parts: list[str] = []
    has_star = False
    for number, one in enumerate(function.parameters):
        kind = one.kind.value if one.kind else ""
        if is_method and number == 0 and one.name in ("self", "cls"):
            continue
        if kind == "keyword-only" and not has_star:
            parts.append("*")
        has_star = has_star or kind in ("keyword-only", "variadic positional")
        text = STARS.get(kind, "") + one.name
        if one.annotation is not None:
            text += f": {annotation(one.annotation)}"
        if one.default is not None and kind not in STARS:
            text += f" = {one.default}"
        parts.append(text)
    returned = f" -> {annotation(function.returns)}" if function.returns is not None else ""
    return f"({', '.join(parts)}){returned}"


class Reference:
    """The pages of the modules below a folder of sources. `faults` are the public names without a docstring."""

    def __init__(self, sources: Path, linked: Callable[[str], str]) -> None:
        paths = {name: sources / name.replace(".", "/") for name in MODULES}
        modules = [name for name, path in paths.items() if path.is_dir() or path.with_suffix(".py").is_file()]
        loader = griffe.GriffeLoader(search_paths=[sources], allow_inspection=False)
        for name in {name.partition(".")[0] for name in modules}:
            loader.load(name)
        loader.resolve_aliases(implicit=True, external=False)
        self.modules = {name: loader.modules_collection[name] for name in modules}
        # Turns the text of a docstring into Markdown with links.
        self.linked = linked
        self.faults: list[str] = []

    def pages(self) -> Iterator[tuple[str, str]]:
        """The names and texts of all pages."""
        toctree = "\n".join(f"{name} <{name}>" for name in self.modules)
        text = "The package has no dependencies, and is typed."
        yield "python-api/index.md", f"# Python API\n\n{text}\n\n```{{toctree}}\n{toctree}\n```\n"
        for name, module in self.modules.items():
            yield f"python-api/{name}.md", "\n".join(self._module(name, module))

    def _module(self, name: str, module: griffe.Module) -> Iterator[str]:
        yield f"# {name}\n\n{self._text(name, module)}\n\n```{{py:currentmodule}} {name}\n```\n"
        kinds = (griffe.Class, griffe.Function)
        own = [key for key, one in module.members.items() if key[0] != "_" and isinstance(one, kinds)]
        for key in sorted(str(one).strip("'\"") for one in module.exports or own):
            yield from self._member(key, resolved(module.members[key]), f"{name}.{key}", 0)

    def _text(self, path: str, one: griffe.Object) -> str:
        text = docstring(one)
        if not text:
            self.faults.append(f"{path}: no docstring")
        # An indented block is an example.
        text = re.sub(r"(?m)(?:(?<=\n\n)|\A)((?: {4}[^\n]*(?:\n|\Z)|\n(?= {4}))+)", self._example, text)
        return self.linked(text)

    def _example(self, found: re.Match[str]) -> str:
        lines = [line.removeprefix("    ") for line in found.group().rstrip("\n").split("\n")]
        return "```python\n" + "\n".join(lines) + "\n```\n"

    def _member(self, name: str, one: griffe.Object, path: str, depth: int) -> Iterator[str]:
        if isinstance(one, griffe.Class):
            yield from self._class(name, one, path, depth)
        elif isinstance(one, griffe.Function):
            options = [f":{label}:" for label in ("async", "classmethod", "staticmethod") if label in one.labels]
            kind = "method" if depth else "function"
            yield from self._directive(kind, name + signature(one, depth > 0), options, self._text(path, one), depth)
        elif isinstance(one, griffe.Attribute):
            options = [f":type: {annotation(one.annotation)}"] if one.annotation is not None else []
            kind = ("property" if "property" in one.labels else "attribute") if depth else "data"
            # Values of enumerations and fields of records are described by their class.
            text = self._text(path, one) if not depth or "property" in one.labels else self.linked(docstring(one))
            yield from self._directive(kind, name, options, text, depth)

    def _directive(self, kind: str, signed: str, options: list[str], text: str, depth: int) -> Iterator[str]:
        colons = ":" * (8 - depth)
        yield "\n".join([f"\n{colons}{{py:{kind}}} {signed}", *options, "", text, colons, ""])

    def _class(self, name: str, one: griffe.Class, path: str, depth: int) -> Iterator[str]:
        found = one.all_members.get("__init__")
        made = resolved(found) if found is not None else None
        is_public = isinstance(made, griffe.Function) and docstring(made) != ""
        parameters = signature(made, True) if isinstance(made, griffe.Function) and is_public else ""
        kind = "exception" if any(re.search("Error|Exception", str(base)) for base in one.bases) else "class"
        colons = ":" * (8 - depth)
        yield f"\n{colons}{{py:{kind}}} {name}{parameters}\n\n{self._text(path, one)}\n"
        if made is not None and is_public:
            yield self.linked(docstring(made))
        for key, member in one.all_members.items():
            target = resolved(member)
            if not key.startswith("_") and not target.is_module:
                yield from self._member(key, target, f"{path}.{key}", depth + 1)
        yield f"{colons}\n"
