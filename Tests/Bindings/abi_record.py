# SPDX-License-Identifier: Apache-2.0
#
# The binary interface as one JSON document, for writers of bindings and for the check that nothing of it changes. It is
# made from what the compiler says of the header, and from nothing else.
"""The record of the ABI, abi/remora.json."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .c_header import ROOT, Header, read_header
from .c_layout import Layout, read_layouts
from .c_types import Array, CType, Function, Pointer, Record

RECORD = ROOT / "abi" / "remora.json"

ABOUT = (
    "The binary interface of libremora.so.0 on 64-bit Linux, made from remora.h by scripts/record-abi. Types: a scalar of C; "
    '"struct name"; "handle name", which is only used behind a pointer; {"pointer": type, "const": whether what it points to '
    'is}; {"array": type, "length": n}; {"result": type, "parameters": types} for a function.'
)


def record() -> str:
    """The document of the header as it is."""
    header = read_header()
    with tempfile.TemporaryDirectory() as scratch:
        layouts = read_layouts(header, Path(scratch))
    return json.dumps(document(header, layouts), indent=1, sort_keys=False) + "\n"


def document(header: Header, layouts: Mapping[str, Layout]) -> dict[str, Any]:
    """What is recorded."""
    return {
        "about": ABOUT,
        "version": header.constants["REMORA_VERSION"],
        "constants": dict(header.constants),
        "handles": sorted(header.handles),
        "structures": {name: _structure(name, header, layouts[name]) for name in header.structures},
        "callbacks": {name: _type(function) for name, function in header.callbacks.items()},
        "functions": {name: _type(function) for name, function in header.functions.items()},
    }


def _structure(name: str, header: Header, layout: Layout) -> dict[str, Any]:
    fields = header.structures[name].items()
    return {
        "size": layout.size,
        "fields": [{"name": field, "offset": layout.offsets[field], "type": _type(kind)} for field, kind in fields],
    }


def _type(kind: CType) -> Any:
    if isinstance(kind, Pointer):
        return {"pointer": _type(kind.to), "const": kind.const}
    if isinstance(kind, Array):
        return {"array": _type(kind.of), "length": kind.length}
    if isinstance(kind, Function):
        return {"result": _type(kind.result), "parameters": [_type(one) for one in kind.parameters]}
    if isinstance(kind, Record):
        return f"{'handle' if kind.opaque else 'struct'} {kind.name}"
    return kind.name
