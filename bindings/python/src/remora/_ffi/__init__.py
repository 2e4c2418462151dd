# SPDX-License-Identifier: Apache-2.0
#
# The whole foreign surface, and the only package that imports ctypes: the header as data (constants, structures,
# signatures), the library that is bound to it, and calls that take and give Python's own types.
"""The C API of libremora."""

from __future__ import annotations

from .constants import CONSTANTS
from .library import functions
from .signatures import FUNCTIONS
from .structures import CALLBACKS, STRUCTURES

__all__ = ["CALLBACKS", "CONSTANTS", "FUNCTIONS", "STRUCTURES", "functions"]
