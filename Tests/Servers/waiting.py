# SPDX-License-Identifier: Apache-2.0
#
# Waiting for something that another process or thread does. A wait ends at a deadline, with a sentence.
"""Waiting on conditions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

_PAUSE_SECONDS = 0.02


def wait_until(condition: Callable[[], Found], what: str, seconds: float = 30.0) -> Found:
    """Asks again and again until `condition` answers something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(_PAUSE_SECONDS)
