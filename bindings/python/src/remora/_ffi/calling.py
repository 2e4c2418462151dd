# SPDX-License-Identifier: Apache-2.0
#
# A function that can fail receives the error structure as its last argument. A failure becomes an exception.
"""Calls of functions that can fail."""

from __future__ import annotations

import _thread
import sys
from ctypes import Structure, byref, c_char_p, c_void_p, sizeof

from ..errors import Error, error_from
from .library import functions
from .structures import Error as ErrorStructure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, Union

    Field = Union[bytes, int, list[bytes], None]


class Handle(c_void_p):
    """A handle of the library. Subclasses release it with their last reference."""


def call(function: Any, *arguments: Any) -> None:
    """Calls a function with its arguments and an error structure. Raises the error that it reports."""
    error = ErrorStructure()
    status = function(*arguments, byref(error))
    if status:
        raise _described(error)


def made(function: Any, *arguments: Any) -> Handle:
    """Calls a function whose last output is a handle, as `call`, and returns the handle."""
    handle = Handle()
    call(function, *arguments, byref(handle))
    return handle


def error_in(error: ErrorStructure) -> Error | None:
    """Converts a remora_error to an exception. Returns None if its status is REMORA_OK."""
    if not error.status:
        return None
    return _described(error)


def error_at(pointer: Any) -> Error | None:
    """Converts the remora_error at an address, as `error_in`. Returns None for NULL."""
    return error_in(pointer.contents) if pointer else None


def texts_at(pointer: Any) -> list[bytes]:
    """Returns the texts of an array that ends with NULL."""
    texts: list[bytes] = []
    while pointer[len(texts)] is not None:
        texts.append(pointer[len(texts)])
    return texts


def filled(structure: Structure, fields: Mapping[str, Field]) -> Structure:
    """Fills a structure with the library's defaults and with the fields that are not None. Returns the structure."""
    functions["remora_init"](byref(structure), sizeof(structure))
    for name, value in fields.items():
        if isinstance(value, list):
            setattr(structure, name, (c_char_p * (len(value) + 1))(*value, None))
        elif value is not None:
            setattr(structure, name, value)
    return structure


def _described(error: ErrorStructure) -> Error:
    texts: list[bytes] = [error.message, error.source_name, error.parameter]
    message, name, parameter = (text.decode("utf-8", "replace") for text in texts)
    return error_from(
        error.status, message, error.http_status, error.retry_after_ms, name, parameter, error.system_code
    )


# Locks of `_thread`, because importing `threading` takes as long as opening a client, and programs without threads do
# not need it. Each lock is made by the current `_thread.allocate_lock`, because gevent may replace this function.


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
        """Blocks daemon threads that start a call from now on, and waits for running calls. Called by the exit handler."""
        with self._changed:
            self._has_ended = True
            self._changed.wait_for(lambda: not self._running, seconds)

    def forget_others(self) -> None:
        """Resets the counts in a forked child, where other threads do not exist."""
        self._changed = Condition()
        self._running = 0


visits = Visits()
