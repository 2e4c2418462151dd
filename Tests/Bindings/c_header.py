# SPDX-License-Identifier: Apache-2.0
#
# remora.h as a compiler understands it: clang, which comes with Swift, parses it and prints
# its syntax tree and its macros. Nothing is read by expressions over the header's text.
"""The header."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .c_types import CType, Function, Pointer, Record, parse

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "remora.h"

Node = dict[str, Any]
Constant = int | str


@dataclass(frozen=True)
class Header:
    """Everything that a binding has to declare."""

    functions: Mapping[str, Function]
    structures: Mapping[str, Mapping[str, CType]]
    """Fields in their order."""
    handles: frozenset[str]
    """Structures without known fields."""
    callbacks: Mapping[str, Function]
    constants: Mapping[str, Constant]


def read_header(path: Path = HEADER) -> Header:
    """Lets the compiler read the header."""
    nodes = json.loads(_clang("-Xclang", "-ast-dump=json", "-fsyntax-only", path))["inner"]
    names: dict[str, CType] = {}
    structures: dict[str, Mapping[str, CType]] = {}
    callbacks: dict[str, Function] = {}
    functions: dict[str, Function] = {}
    complete = {node.get("name") for node in _kind(nodes, "RecordDecl") if node.get("completeDefinition")}
    for node in nodes:
        name = node.get("name", "")
        if not name.startswith("remora_"):
            continue
        if node["kind"] == "RecordDecl":
            names[name] = Record(name, opaque=name not in complete)
            if name in complete:
                structures[name] = _fields(node, names)
        elif node["kind"] == "TypedefDecl":
            meaning = parse(node["type"]["qualType"], names)
            names[name] = meaning
            if isinstance(meaning, Pointer) and isinstance(meaning.to, Function):
                callbacks[name] = meaning.to
        elif node["kind"] == "FunctionDecl":
            whole = parse(node["type"]["qualType"], names)
            assert isinstance(whole, Function), name
            functions[name] = whole
    handles = frozenset(name for name, meaning in names.items() if isinstance(meaning, Record) and meaning.opaque)
    return Header(functions, structures, handles, callbacks, _constants(path))


def _fields(node: Node, names: Mapping[str, CType]) -> dict[str, CType]:
    return {one["name"]: parse(one["type"]["qualType"], names) for one in _kind(node["inner"], "FieldDecl")}


def _kind(nodes: list[Node], kind: str) -> Iterator[Node]:
    return (node for node in nodes if node["kind"] == kind)


def _constants(path: Path) -> dict[str, Constant]:
    """Macros with a value: REMORA_H has none, and macros with arguments are for C alone."""
    lines = _clang("-dM", "-E", path).splitlines()
    words = (line.split(maxsplit=2) for line in lines if line.startswith("#define REMORA_"))
    return {
        macro[1]: ast.literal_eval(macro[2].removesuffix("u"))
        for macro in words
        if len(macro) == 3 and "(" not in macro[1]
    }


def _clang(*arguments: str | Path) -> str:
    command = [_find_clang(), "-x", "c", "-std=c99", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _find_clang() -> str:
    swift = shutil.which("swift")
    beside = shutil.which("clang", path=str(Path(swift).resolve().parent)) if swift else None
    clang = beside or shutil.which("clang")
    if clang is None:
        raise RuntimeError("there is no clang, neither beside swift nor in PATH")
    return clang
