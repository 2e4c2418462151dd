# SPDX-License-Identifier: Apache-2.0
"""Runs callbacks on a thread of the client."""

from __future__ import annotations

import _thread

from .core import Dispatching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core import Core
    from .threads import Loop


class ThreadDispatching(Dispatching):
    """Runs the callbacks on a daemon thread of the client."""

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._loop: Loop | None = None
        self._ending: Loop | None = None
        """The loop that `join` waits for: its thread is running for a moment after it has left `_loop`."""

    def start(self, core: Core) -> None:
        """Starts the thread, if it is not running."""
        with self._lock:
            if self._loop is None:
                from .threads import Loop  # Later: most programs have no callbacks.

                loop = Loop(core, self._forget)
                loop.thread.start()
                self._loop = loop

    def wake(self) -> bool:
        loop = self._loop
        return loop is not None and loop.wake()

    def abandon(self) -> None:
        """Does nothing: the thread closes the client."""

    def stop(self) -> None:
        if loop := self._loop:
            if loop.thread.ident != _thread.get_ident():
                self._ending = loop
            loop.stop()

    def join(self, seconds: float | None) -> None:
        loop, self._ending = self._ending, None
        if loop:
            loop.thread.join(seconds)

    def resume_child(self, core: Core) -> None:
        self._lock = _thread.allocate_lock()
        loop, self._loop = self._loop, None
        if loop:
            loop.leave_to_parent()
            # A child that was forked in a callback exits when the callback returns, as in any function of a thread.
            if not core.is_in_callback():
                self.start(core)

    def _forget(self) -> None:
        self._loop = None
