# SPDX-License-Identifier: Apache-2.0
#
# What makes staged settings live, or keeps what comes from it. Both may wait, so they let go of the interpreter's lock.
"""Activation."""

from __future__ import annotations

from ctypes import byref, c_int32

from .calling import Handle, call
from .library import functions


def activate(source: Handle) -> int:
    """Makes live what is staged, and gives the outcome."""
    out = c_int32()
    call(functions["remora_activate"], source, byref(out))
    return out.value


def stop_listening(source: Handle) -> None:
    """Leaves what is live as it is, and tells nobody anything."""
    call(functions["remora_stop_listening"], source)
