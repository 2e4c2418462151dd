# SPDX-License-Identifier: Apache-2.0
#
# Locks of `_thread`, because importing `threading` takes as long as opening a client, and programs without threads do
# not need it. Each lock is made by the current `_thread.allocate_lock`, because gevent may replace this function.
"""Waits of threads: for a condition, and at the exit of the process, when the library must not call Python any more."""

from __future__ import annotations

import _thread
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class Condition:
    """A condition variable with its lock, as `threading.Condition`."""

    __slots__ = ("_lock", "_waiters")

    def __init__(self) -> None:
        self._lock = _thread.allocate_lock()
        self._waiters: list[Any] = []

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def notify_all(self) -> None:
        """Wakes all waiting threads. The caller holds the lock."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            waiter.release()

    def wait_for(self, predicate: Callable[[], object], seconds: float | None = None) -> bool:
        """Waits until the predicate is true, but at most `seconds`. The caller holds the lock."""
        from time import monotonic

        end = None if seconds is None else monotonic() + seconds
        while not predicate():
            left = -1.0 if end is None else end - monotonic()
            if end is not None and left <= 0:
                return False
            waiter = _thread.allocate_lock()
            waiter.acquire()
            self._waiters.append(waiter)
            self._lock.release()
            try:
                waiter.acquire(True, left)
            finally:
                self._lock.acquire()
        return True


def in_daemon() -> bool:
    """Whether the calling thread is a daemon thread. If `threading` is not imported, no thread is a daemon."""
    threading = sys.modules.get("threading")
    return threading is not None and threading.current_thread().daemon


def wait_forever() -> NoReturn:
    """Never returns."""
    lock = _thread.allocate_lock()
    while True:
        lock.acquire()


class Visits:
    """Context for short calls that call Python before they return, such as an iteration over all sources.

    The library must not call Python after the interpreter has shut down. So the exit handler waits for these calls, and
    daemon threads that start one later wait until the process ends.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._running = 0
        self._has_ended = False

    def __enter__(self) -> None:
        with self._changed:
            is_late = self._has_ended and in_daemon()
            self._running += not is_late
        if is_late:
            wait_forever()

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def end(self, seconds: float) -> None:
        """Blocks daemon threads that start a call from now on, and waits for running calls.

        Called by the exit handler.
        """
        with self._changed:
            self._has_ended = True
            self._changed.wait_for(lambda: not self._running, seconds)

    def forget_others(self) -> None:
        """Resets the counts in a forked child, where other threads do not exist."""
        self._changed = Condition()
        self._running = 0


visits = Visits()
