# SPDX-License-Identifier: Apache-2.0
#
# The whole C API, and the only package that imports ctypes: the header as data (constants, structures, options,
# callbacks, signatures), the library that is bound to it, and calls with Python's own types.
"""The C API of libremora."""

from __future__ import annotations

from .callbacks import CALLBACKS
from .constants import CONSTANTS
from .declared import STRUCTURES
from .library import functions
from .signatures import FUNCTIONS

__all__ = ["CALLBACKS", "CONSTANTS", "FUNCTIONS", "STRUCTURES", "functions"]
