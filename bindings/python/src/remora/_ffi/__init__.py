# SPDX-License-Identifier: Apache-2.0
"""The whole C API, and the only package that imports ctypes: the header as data (constants, structures, options,
callbacks, signatures), the library that is bound to it, and calls with Python's own types.
"""

from __future__ import annotations

from .constants import CONSTANTS
from .library import functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .callbacks import CALLBACKS as CALLBACKS
    from .options import STRUCTURES as STRUCTURES

    FUNCTIONS: dict[str, tuple[Any, list[Any]]]
    """The result type and argument types of every function."""

__all__ = ["CALLBACKS", "CONSTANTS", "FUNCTIONS", "STRUCTURES", "functions"]

if not TYPE_CHECKING:  # Type checkers would accept every name.

    def __getattr__(name):
        """Imports the tables that only tests and tools use."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import callbacks, options, signatures

        if name == "FUNCTIONS":
            return {one: signatures.signature(one) for one in signatures.SIGNATURES}
        return callbacks.CALLBACKS if name == "CALLBACKS" else options.STRUCTURES
