# SPDX-License-Identifier: Apache-2.0
#
# What a binding declares, in the words of its language, and the one comparison with the
# header. A language says which of its words stand for a C type; anything else is a complaint.
"""Comparing declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass

from .c_header import Constant, Header
from .c_types import CType, Function


@dataclass(frozen=True)
class Signature:
    """A result and parameters in a language's words."""

    result: str
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Declarations:
    """What a binding declares, under the header's names."""

    functions: Mapping[str, Signature]
    structures: Mapping[str, Mapping[str, str]]
    callbacks: Mapping[str, Signature]
    constants: Mapping[str, Constant]
    handles: frozenset[str] | None = None
    """None where every handle is the same untyped address."""


Spell = Callable[[CType], frozenset[str]]
"""All words of a language that are right for a C type."""


def complaints(header: Header, declared: Declarations, spell: Spell) -> list[str]:
    """What is missing, superfluous or of another type; each names the thing."""
    return [
        *_names("function", header.functions.keys(), declared.functions.keys()),
        *_names("structure", header.structures.keys(), declared.structures.keys()),
        *_names("callback", header.callbacks.keys(), declared.callbacks.keys()),
        *_names("constant", header.constants.keys(), declared.constants.keys()),
        *_names("handle", header.handles, header.handles if declared.handles is None else declared.handles),
        *_signatures(header.functions, declared.functions, spell),
        *_signatures(header.callbacks, declared.callbacks, spell),
        *_fields(header.structures, declared.structures, spell),
        *_constants(header.constants, declared.constants),
    ]


def _names(kind: str, wanted: Set[str], declared: Set[str]) -> Iterator[str]:
    for name in sorted(wanted - declared):
        yield f"{kind} {name} is missing"
    for name in sorted(declared - wanted):
        yield f"{kind} {name} is not in the header"


def _signatures(wanted: Mapping[str, Function], declared: Mapping[str, Signature], spell: Spell) -> Iterator[str]:
    for name in wanted.keys() & declared.keys():
        function, signature = wanted[name], declared[name]
        if len(function.parameters) != len(signature.parameters):
            yield f"{name} takes {len(function.parameters)} parameters, declared {len(signature.parameters)}"
            continue
        yield from _type(f"{name}: the result", function.result, signature.result, spell)
        for number, (parameter, word) in enumerate(zip(function.parameters, signature.parameters, strict=True), 1):
            yield from _type(f"{name}: parameter {number}", parameter, word, spell)


def _fields(
    wanted: Mapping[str, Mapping[str, CType]], declared: Mapping[str, Mapping[str, str]], spell: Spell
) -> Iterator[str]:
    for name in wanted.keys() & declared.keys():
        if list(wanted[name]) != list(declared[name]):
            yield f"{name}: the fields are {', '.join(wanted[name])}; declared {', '.join(declared[name])}"
            continue
        for field, kind in wanted[name].items():
            yield from _type(f"{name}.{field}", kind, declared[name][field], spell)


def _type(what: str, wanted: CType, declared: str, spell: Spell) -> Iterator[str]:
    right = spell(wanted)
    if declared not in right:
        yield f"{what} is {' or '.join(sorted(right))}, declared {declared}"


def _constants(wanted: Mapping[str, Constant], declared: Mapping[str, Constant]) -> Iterator[str]:
    for name in wanted.keys() & declared.keys():
        if wanted[name] != declared[name]:
            yield f"{name} is {wanted[name]!r}, declared {declared[name]!r}"
