# SPDX-License-Identifier: Apache-2.0
"""A connection ahead of time."""

from __future__ import annotations

from ctypes import byref

from . import structures
from .calling import call, filled
from .library import functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .calling import Field


def preconnect(fields: Mapping[str, Field]) -> None:
    """Begins a connection, and waits for nothing."""
    options = structures.PreconnectOptions()
    filled(options, functions["remora_preconnect_options_init"], fields)
    call(functions["remora_preconnect"], byref(options))
