# SPDX-License-Identifier: Apache-2.0
#
# The declarations of remora._ffi: ctypes' own objects, described by name. Where ctypes has
# several words for one C type (text is bytes, an address or an array) each of them is right.
"""Declarations in Python."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .c_layout import Layout
from .c_types import Array, CType, Function, Pointer, Record, Scalar
from .comparison import Declarations, Signature

SCALARS: dict[str, Any] = {
    "char": ctypes.c_char,
    "double": ctypes.c_double,
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
    "size_t": ctypes.c_size_t,
}
_ADDRESS = frozenset(["c_void_p"])
_TEXT = frozenset(["c_char_p", "c_void_p", "POINTER(c_char)"])


def read_declarations(ffi: ModuleType) -> Declarations:
    """What the module's four tables declare."""
    names = {kind: name for name, kind in ffi.STRUCTURES.items()}

    def signature(result: Any, parameters: Any) -> Signature:
        return Signature(describe(result, names), tuple(describe(one, names) for one in parameters))

    return Declarations(
        functions={name: signature(*declared) for name, declared in ffi.FUNCTIONS.items()},
        structures={
            name: {field[0]: describe(field[1], names) for field in kind._fields_}
            for name, kind in ffi.STRUCTURES.items()
        },
        callbacks={name: signature(kind._restype_, kind._argtypes_) for name, kind in ffi.CALLBACKS.items()},
        constants=dict(ffi.CONSTANTS),
    )


def layouts(structures: Mapping[str, Any]) -> dict[str, Layout]:
    """Sizes and offsets as ctypes lays the structures out."""
    return {
        name: Layout(ctypes.sizeof(kind), {field[0]: getattr(kind, field[0]).offset for field in kind._fields_})
        for name, kind in structures.items()
    }


def describe(kind: Any, names: Mapping[Any, str]) -> str:
    """The name of a ctypes type; a structure's is the one in `names`."""
    if kind is None:
        return "None"
    if issubclass(kind, ctypes._Pointer):
        return f"POINTER({describe(kind._type_, names)})"
    if hasattr(kind, "_restype_"):
        return f"CFUNCTYPE({', '.join(describe(one, names) for one in (kind._restype_, *kind._argtypes_))})"
    if issubclass(kind, ctypes.Array):
        return f"{describe(kind._type_, names)} * {kind._length_}"
    return names.get(kind, str(kind.__name__))


def spell(kind: CType) -> frozenset[str]:
    """The names of all ctypes types that are right for a C type."""
    match kind:
        case Scalar("void"):
            return frozenset(["None"])
        case Scalar(name):
            return frozenset([SCALARS[name].__name__])
        case Record(name):
            return frozenset([name])
        case Array(of, length):
            return frozenset(f"{word} * {length}" for word in spell(of))
        case Pointer(Scalar("void")) | Pointer(Record(_, True)):
            return _ADDRESS
        case Pointer(Scalar("char")):
            return _TEXT
        case Pointer(Function(result, parameters)):
            words = itertools.product(*map(spell, (result, *parameters)))
            return frozenset(f"CFUNCTYPE({', '.join(one)})" for one in words)
        case Pointer(to):
            return frozenset(f"POINTER({word})" for word in spell(to))
        case _:
            raise ValueError(f"no word of ctypes for {kind}")
