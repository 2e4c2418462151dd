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
    "The binary interface of libremora.so.0 on 64-bit Linux, made from remora.h by scripts/record-abi. minimum_size: the size "
    "at the first release that had the structure, which is accepted for ever. Types: a scalar of C; "
    '"struct name"; "handle name", which is only used behind a pointer; {"pointer": type, "const": whether what it points to '
    'is}; {"array": type, "length": n}; {"result": type, "parameters": types} for a function.'
)


def record() -> str:
    """The document of the header as it is."""
    header = read_header()
    with tempfile.TemporaryDirectory() as scratch:
        layouts = read_layouts(header, Path(scratch))
    return json.dumps(document(header, layouts, _recorded_minimum_sizes()), indent=1, sort_keys=False) + "\n"


def document(header: Header, layouts: Mapping[str, Layout], minimum_sizes: Mapping[str, int]) -> dict[str, Any]:
    """What is recorded. Minimum sizes that were recorded before stay."""
    return {
        "about": ABOUT,
        "version": header.constants["REMORA_VERSION"],
        "constants": dict(header.constants),
        "handles": sorted(header.handles),
        "structures": {
            name: _structure(name, header, layouts[name], minimum_sizes.get(name)) for name in header.structures
        },
        "callbacks": {name: _type(function) for name, function in header.callbacks.items()},
        "functions": {name: _type(function) for name, function in header.functions.items()},
    }


def _recorded_minimum_sizes() -> dict[str, int]:
    if not RECORD.exists():
        return {}
    structures = json.loads(RECORD.read_text(encoding="utf-8"))["structures"]
    return {name: one["minimum_size"] for name, one in structures.items() if "minimum_size" in one}


def _structure(name: str, header: Header, layout: Layout, minimum_size: int | None) -> dict[str, Any]:
    fields = header.structures[name].items()
    sizes = {"size": layout.size}
    if "struct_size" in header.structures[name]:
        sizes["minimum_size"] = minimum_size or layout.size
    return {
        **sizes,
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
