# SPDX-License-Identifier: Apache-2.0
"""The order of the versions that one reader sees."""

from __future__ import annotations

from collections.abc import Callable


class Watch:
    """Versions never go back, unless a process has rejected the higher one, or one that is still higher: the storage
    then has the version before them, which all processes read."""

    def __init__(self, rejected: Callable[[], set[int]]) -> None:
        self._rejected = rejected
        self._last = 0

    def problem(self, version: int) -> str | None:
        last, self._last = self._last, version
        if version < last and not any(one >= last for one in self._rejected()):
            return f"version {last} was followed by {version}"
        return None
