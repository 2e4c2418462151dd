# SPDX-License-Identifier: Apache-2.0
#
# Where this process and those that it starts find the package, and the package the library.
"""The environment of the hosts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = str(_ROOT / "bindings" / "python" / "src")


def prepare() -> None:
    """Takes both from the tree, and the library from REMORA_LIBRARY when that is set."""
    sys.path.insert(0, _PACKAGE)
    os.environ["PYTHONPATH"] = _PACKAGE
    os.environ.setdefault("REMORA_LIBRARY", str(_ROOT / "build" / "libremora.so"))
