# SPDX-License-Identifier: Apache-2.0
#
# What is awaited of the library: its end comes in the loop, or, when there will be none, from any thread.
"""Futures of the library's ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from ._dispatching import LoopDispatching

T = TypeVar("T")


class Promise(Generic[T]):
    """A future that is settled once."""

    def __init__(self, dispatching: LoopDispatching) -> None:
        self._dispatching = dispatching
        self.future: asyncio.Future[T] = dispatching.require_loop().create_future()

    def settle(self, result: T) -> None:
        """Settles it, in the loop; later ones change nothing."""
        if not self.future.done():
            self.future.set_result(result)

    def settle_soon(self, result: T) -> None:
        """The same from any thread."""
        self._dispatching.call_soon(lambda: self.settle(result))
