# SPDX-License-Identifier: Apache-2.0
"""The threads of this package: one runs the callbacks of a client; another makes a waiting call for the main thread,
which then can run signal handlers. Imported at their first use.
"""

from __future__ import annotations

import os
import select
import threading

from .._ffi import handles
from ..errors import ClosedError, Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from .core import Core

    T = TypeVar("T")
    Listener = Callable[..., object]


class _Pipe:
    """A pipe that wakes a thread.

    Does nothing after the program has closed its descriptors, whose numbers may be reused.
    """

    reader = _writer = -1
    _identity: tuple[tuple[int, int], ...] = ()

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        self._identity = self._now()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)

    def _now(self) -> tuple[tuple[int, int], ...]:
        found = os.fstat(self.reader), os.fstat(self._writer)
        return tuple((one.st_dev, one.st_ino) for one in found)

    @property
    def is_open(self) -> bool:
        """Whether both descriptors still are this pipe."""
        try:
            return self._now() == self._identity
        except OSError:
            return False

    def write(self) -> None:
        try:
            if self.is_open:
                os.write(self._writer, b"w")
        except BlockingIOError:  # The pipe is full, so the thread wakes anyway.
            pass

    def clear(self) -> None:
        """Discards the bytes that `write` has written."""
        try:
            if self.is_open:
                os.read(self.reader, 4096)
        except BlockingIOError:
            pass

    def __del__(self) -> None:
        if self.is_open:
            os.close(self.reader)
            os.close(self._writer)


class Loop:
    """The thread for callbacks. It waits for the library's descriptor and for a pipe of its own.

    The pipe is closed with the last reference, so that no descriptor is used after it was closed. A program that
    becomes a daemon may close all descriptors. This ends the wait, and the thread then opens new descriptors.
    """

    def __init__(self, core: Core, at_end: Callable[[], object]) -> None:
        self._core = core
        self._at_end = at_end
        self._is_ending = False
        self._is_of_parent = False
        self._pipe = _Pipe()
        self._poll = self._polled()
        self.thread = threading.Thread(target=self._run, name="remora-dispatch", daemon=True)

    def _polled(self) -> select.poll:
        poll = select.poll()
        with self._core.using() as handle:
            poll.register(handles.descriptor(handle), select.POLLIN)
        poll.register(self._pipe.reader, select.POLLIN)
        return poll

    def wake(self) -> bool:
        """Wakes the thread. Returns False if the thread is ending."""
        if self._is_ending:
            return False
        self._pipe.write()
        return True

    def stop(self) -> None:
        """Ends the thread after the callback that is running."""
        self._is_ending = True
        self._pipe.write()

    def leave_to_parent(self) -> None:
        """Marks the loop in a forked child as running in the parent only.

        A child that was forked in a callback then exits.
        """
        self._is_ending = self._is_of_parent = True

    def _run(self) -> None:
        try:
            self._dispatch_until_end()
        finally:
            if self._is_of_parent:
                # With gevent, which replaces threads, this one also lives in a forked child, where `threading` has
                # forgotten it. This call enters it again, because `threading` removes it at its end.
                threading.current_thread()
            else:
                was_stopped, self._is_ending = self._is_ending, True
                self._at_end()
                if not was_stopped:  # Then no other thread makes the deferred calls.
                    self._core.end_buried()

    def _dispatch_until_end(self) -> None:
        while not self._is_ending:
            found = self._poll.poll()
            self._pipe.clear()
            if self._is_ending:
                break
            try:
                if any(events & ~select.POLLIN for _, events in found) or not self._pipe.is_open:
                    self._pipe = _Pipe()
                    self._poll = self._polled()
                self._core.dispatch()
            except ClosedError:
                break
            except (Exception, KeyboardInterrupt, SystemExit) as error:
                self._core.report(error, self._core.dispatch)
                if isinstance(error, (Error, OSError)):
                    break


def wait_undisturbed(name: str, call: Callable[[Listener], T], listener: Listener) -> T:
    """Makes a call that waits, and calls `listener` on this thread with the arguments of each callback.

    Exceptions of `listener` and of signal handlers are raised when the call has returned, because they would be lost
    inside a callback of the library. Signal handlers run on the main thread, so if this function is called there,
    another thread makes the call that waits.
    """
    raised: list[BaseException] = []

    def report_until_raised(*arguments: object) -> None:
        if not raised:
            try:
                listener(*arguments)
            except BaseException as error:
                raised.append(error)

    try:
        if threading.current_thread() is threading.main_thread():
            result = _wait_beside(name, call, report_until_raised, raised)
        else:
            result = call(report_until_raised)
    except BaseException as error:
        raised.insert(0, error)
    if raised:
        raise _last(raised)
    return result


def _last(raised: list[BaseException]) -> BaseException:
    """Returns the last exception. Each earlier one becomes the context of its successor, so that none is lost."""
    while len(raised) > 1:
        earlier = raised.pop(0)
        raised[0].__context__ = earlier
    return raised.pop()


def _wait_beside(name: str, call: Callable[[Listener], T], listener: Listener, raised: list[BaseException]) -> T:
    from queue import SimpleQueue

    reports: SimpleQueue[tuple[object, ...] | None] = SimpleQueue()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call(lambda *one: reports.put(one)))
        except BaseException as error:
            errors.append(error)
        reports.put(None)

    thread = threading.Thread(target=run, name=name, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No thread is available, or the interpreter is ending.
        return call(listener)
    # A signal handler may raise between any two steps.
    while not (results or errors) or not reports.empty():
        try:
            if (one := reports.get()) is not None:
                listener(*one)
        except BaseException as error:
            raised.append(error)
    if errors:
        raise errors.pop()
    return results.pop()
