# SPDX-License-Identifier: Apache-2.0
#
# The declarations of remora-sys, read from its source: extern blocks, structures, constants
# and aliases. A small reader is enough, because it refuses what it does not know.
"""Declarations in Rust."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from .c_header import ROOT, Constant
from .c_types import Array, CType, Function, Pointer, Record, Scalar
from .comparison import Declarations, Signature

SOURCES = ROOT / "bindings" / "rust" / "remora-sys" / "src"

_SCALARS = {
    "void": "c_void",
    "char": "c_char",
    "double": "f64",
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
    "size_t": "usize",
}
_EXTERN = re.compile(r'extern "C" \{(.*?)^\}', re.DOTALL | re.MULTILINE)
_FUNCTION = re.compile(r"\bfn (\w+)\s*\(([^;]*?)\)\s*(?:->\s*([^;]+?))?\s*;", re.DOTALL)
_STRUCTURE = re.compile(r"((?:#\[[^\n]*\]\s*)*)pub struct (\w+)\s*\{(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^(?:pub(?:\([^)]*\))? )?(\w+)\s*:\s*(.+)$", re.DOTALL)
_CONSTANT = re.compile(r"pub const (REMORA_\w+)\s*:[^=]+=\s*([^;]+?)\s*;")
_ALIAS = re.compile(r"pub type (\w+)\s*=\s*([^;]+?)\s*;", re.DOTALL)
_FUNCTION_POINTER = re.compile(r'^Option<unsafe extern "C" fn\((.*)\)(?: -> (.+?))?>$')


def read_sources(directory: Path = SOURCES) -> str:
    """All of the crate's source as one text."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(directory.rglob("*.rs")))


def read_declarations(source: str) -> Declarations:
    """What the source declares."""
    source = re.sub(r"//[^\n]*", "", source)
    aliases = dict(_ALIAS.findall(source))
    functions = {
        name: _signature(parameters, result, aliases)
        for block in _EXTERN.findall(source)
        for name, parameters, result in _FUNCTION.findall(block)
    }
    structures, handles = {}, set()
    for attributes, name, body in _STRUCTURE.findall(source):
        if not name.startswith("remora_"):
            continue
        if "#[repr(C)]" not in attributes:
            raise ValueError(f"{name} is not repr(C)")
        fields = _fields(body, aliases)
        if fields:
            structures[name] = fields
        else:
            handles.add(name)
    callbacks = {}
    for name in aliases:
        pointer = _FUNCTION_POINTER.match(_word(name, aliases))
        if name.startswith("remora_") and pointer:
            callbacks[name] = _signature(pointer[1], pointer[2] or "", aliases)
    constants = {name: _value(value) for name, value in _CONSTANT.findall(source)}
    return Declarations(functions, structures, callbacks, constants, frozenset(handles))


def spell(kind: CType) -> frozenset[str]:
    """The one word of Rust for a C type."""
    return frozenset([_spell(kind)])


def _spell(kind: CType) -> str:
    match kind:
        case Scalar("void"):
            return "()"
        case Scalar(name):
            return _SCALARS[name]
        case Record(name):
            return name
        case Array(of, length):
            return f"[{_spell(of)}; {length}]"
        case Pointer(Function(result, parameters)):
            arrow = "" if result == Scalar("void") else f" -> {_spell(result)}"
            return f'Option<unsafe extern "C" fn({", ".join(map(_spell, parameters))}){arrow}>'
        case Pointer(to, const):
            pointee = "c_void" if to == Scalar("void") else _spell(to)
            return f"*{'const' if const else 'mut'} {pointee}"
        case _:
            raise ValueError(f"no word of Rust for {kind}")


def _signature(parameters: str, result: str, aliases: dict[str, str]) -> Signature:
    words = tuple(_word(_without_name(one), aliases) for one in _split(parameters))
    return Signature(_word(result, aliases) if result else "()", words)


def _fields(body: str, aliases: dict[str, str]) -> dict[str, str]:
    """The fields in their order; none for a handle, whose only fields are private and empty."""
    found = {}
    for one in _split(re.sub(r"#\[[^\n]*\]", "", body)):
        match = _FIELD.match(one)
        if match is None:
            raise ValueError(f"cannot read the field {one!r}")
        if not match[1].startswith("_"):
            found[match[1]] = _word(match[2], aliases)
    return found


def _word(text: str, aliases: dict[str, str]) -> str:
    """A type in one form: no paths, no aliases, no names of parameters, no surplus spaces or commas."""
    previous = ""
    while previous != text:
        previous = text
        text = re.sub(r"\b\w+\b", lambda word: aliases.get(word[0], word[0]), text)
        text = re.sub(r"\b(?:\w+::)+", "", " ".join(text.split()))
    text = re.sub(r"([(<]) ", r"\1", re.sub(r",? ?([)>])", r"\1", text.replace("->", "=")))
    return re.sub(r"([(,] ?)\w+: ", r"\1", text).replace("=", "->")


def _without_name(parameter: str) -> str:
    return re.sub(r"^\w+\s*:\s*(?!:)", "", parameter.strip())


def _split(text: str) -> list[str]:
    """Splits at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    text = text.replace("->", "\0\0")
    for place, letter in enumerate(text):
        depth += (letter in "([<{") - (letter in ")]>}")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part.replace("\0\0", "->").strip() for part in parts if part.strip()]


def _value(text: str) -> Constant:
    """A number, or the text of a C string, a byte string or a string, without its NUL."""
    literal = re.match(r'c?(b?"[^"]*"|-?[\d_]+)', text)
    if literal is None:
        raise ValueError(f"cannot read the constant {text!r}")
    value = ast.literal_eval(literal[1])
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        return value.rstrip("\0")
    assert isinstance(value, int)
    return value
