# SPDX-License-Identifier: Apache-2.0
"""The whole C API, and the only package that imports ctypes: the header as data (constants, structures, options,
callbacks, signatures), the library that is bound to it, and calls with Python's own types.
"""

from __future__ import annotations

from .constants import CONSTANTS
from .library import functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ctypes import Structure
    from typing import Any

    from .callbacks import CALLBACKS as CALLBACKS

    FUNCTIONS: dict[str, tuple[Any, list[Any]]]
    """The result type and argument types of every function."""
    STRUCTURES: dict[str, type[Structure]]
    """Every structure by its name in the header, which is also its docstring."""

__all__ = ["CALLBACKS", "CONSTANTS", "FUNCTIONS", "STRUCTURES", "functions"]

if not TYPE_CHECKING:  # Type checkers would accept every name.

    def __getattr__(name):
        """Imports the tables that only tests and tools use."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from . import callbacks, options, signatures, structures

        if name == "CALLBACKS":
            return callbacks.CALLBACKS
        if name == "FUNCTIONS":
            return {one: signatures.signature(one) for one in signatures.SIGNATURES}
        kinds = [kind for module in (callbacks, options, structures) for kind in vars(module).values()]
        return {kind.__doc__.split(".")[0]: kind for kind in kinds if hasattr(kind, "_fields_")}
