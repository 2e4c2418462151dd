# SPDX-License-Identifier: Apache-2.0
"""The order of the versions that one reader sees."""

from __future__ import annotations

from collections.abc import Callable


class Watch:
    """Versions never go back, unless a process has rejected the higher one."""

    def __init__(self, rejected: Callable[[], set[int]]) -> None:
        self._rejected = rejected
        self._last = 0

    def problem(self, version: int) -> str | None:
        last, self._last = self._last, version
        if version < last and last not in self._rejected():
            return f"version {last} was followed by {version}"
        return None
