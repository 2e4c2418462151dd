# SPDX-License-Identifier: Apache-2.0
#
# The types that remora.h uses, and the reading of the compiler's spelling of them. What a
# typedef hides is resolved by the caller's names, so that every type ends in a scalar, a
# structure or a function.
"""C types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scalar:
    """void, char, double or an integer of a known width, by its name."""

    name: str


@dataclass(frozen=True)
class Record:
    """A structure by its name; an opaque one is a handle."""

    name: str
    opaque: bool = False


@dataclass(frozen=True)
class Pointer:
    """A pointer, and whether what it points to is const."""

    to: CType
    const: bool = False


@dataclass(frozen=True)
class Array:
    """An array of a fixed length."""

    of: CType
    length: int


@dataclass(frozen=True)
class Function:
    """What a function takes and gives."""

    result: CType
    parameters: tuple[CType, ...]


CType = Scalar | Record | Pointer | Array | Function

SCALARS = ("void", "char", "double", "int32_t", "uint32_t", "int64_t", "uint64_t", "size_t")

_TOKEN = re.compile(r"\w+|[*()\[\],]")


def parse(spelling: str, names: Mapping[str, CType]) -> CType:
    """Reads a type such as "const char *const *" or "void (*)(void *)"."""
    return _Reader(spelling, names).whole()


class _Reader:
    def __init__(self, spelling: str, names: Mapping[str, CType]) -> None:
        self._spelling = spelling
        self._names = names
        self._tokens = [token for token in _TOKEN.findall(spelling) if token != "struct"]

    def whole(self) -> CType:
        found = self._type()
        if self._tokens:
            raise ValueError(f"cannot read the C type {self._spelling!r}")
        return found

    def _type(self) -> CType:
        const = self._skip("const")
        found = self._named(self._tokens.pop(0))
        const = self._skip("const") or const
        while self._skip("*"):
            found = Pointer(found, const)
            const = self._skip("const")
        if self._skip("("):
            return self._function(found)
        if self._skip("["):
            found = Array(found, int(self._tokens.pop(0)))
            self._expect("]")
        return found

    def _function(self, result: CType) -> CType:
        """What follows the first parenthesis of "R (*)(A, B)" or "R (A, B)"."""
        pointer = self._skip("*")
        if pointer:
            self._expect(")")
            self._expect("(")
        parameters: list[CType] = []
        while not self._skip(")"):
            parameters.append(self._type())
            self._skip(",")
        function = Function(result, () if parameters == [Scalar("void")] else tuple(parameters))
        return Pointer(function) if pointer else function

    def _named(self, name: str) -> CType:
        if name in self._names:
            return self._names[name]
        if name in SCALARS:
            return Scalar(name)
        raise ValueError(f"{name} in the C type {self._spelling!r} is not known")

    def _skip(self, token: str) -> bool:
        if self._tokens[:1] != [token]:
            return False
        del self._tokens[0]
        return True

    def _expect(self, token: str) -> None:
        if not self._skip(token):
            raise ValueError(f"cannot read the C type {self._spelling!r}")
