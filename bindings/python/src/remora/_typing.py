# SPDX-License-Identifier: Apache-2.0
#
# `overload` without importing `typing` at run time, which takes as long as opening a client.
"""Typing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import overload as overload
else:

    def overload(function):
        """Marks a signature for type checkers."""
        return function
