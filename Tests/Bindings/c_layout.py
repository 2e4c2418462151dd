# SPDX-License-Identifier: Apache-2.0
#
# Sizes and offsets as the C compiler lays the header's structures out: asked of a program
# that it compiles.
"""Layouts of structures."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .c_header import HEADER, Header


@dataclass(frozen=True)
class Layout:
    """Bytes of a structure, and where its fields begin."""

    size: int
    offsets: Mapping[str, int]


def read_layouts(header: Header, directory: Path) -> dict[str, Layout]:
    """The layouts of all structures; `directory` is for the program."""
    lines = []
    for name, fields in header.structures.items():
        lines.append(f'printf("{name} . %zu\\n", sizeof({name}));')
        lines += [f'printf("{name} {field} %zu\\n", offsetof({name}, {field}));' for field in fields]
    source, program = directory / "layout.c", directory / "layout"
    body = "\n  ".join(lines)
    source.write_text(f"#include <remora.h>\n#include <stdio.h>\n\nint main(void) {{\n  {body}\n  return 0;\n}}\n")
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, f"-I{HEADER.parent}", "-o", str(program), str(source)], check=True)
    printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    numbers = {(name, field): int(number) for name, field, number in map(str.split, printed.splitlines())}
    return {
        name: Layout(numbers[name, "."], {field: numbers[name, field] for field in fields})
        for name, fields in header.structures.items()
    }
