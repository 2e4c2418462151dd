# SPDX-License-Identifier: Apache-2.0
#
# Who runs the callbacks of a client: a thread of this package, or the host itself. (An asyncio loop: aio/_dispatching.py.)
"""Where callbacks run."""

from __future__ import annotations

import os
import select
import threading

from ._ffi import handles
from ._receivers import report
from .errors import ClosedError, Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core import Core


class Dispatching:
    """The host runs the callbacks, by `Client.dispatch`."""

    def __init__(self) -> None:
        self._is_started = False

    def start(self, core: Core) -> None:
        """Makes sure that callbacks are run; called before there may be any."""
        self._is_started = True

    def wake(self) -> bool:
        """Asks whoever dispatches to end what is buried; false when there is nobody. For finalizers."""
        return self._is_started

    def abandon(self) -> None:
        """The host has let go of the client."""
        self._is_started = False

    def require_waiting(self) -> None:
        """Refuses what waits where nothing may wait."""

    def stop(self) -> None:
        """No dispatch begins afterwards. Does not wait."""

    def join(self, seconds: float | None) -> None:
        """Waits until the last dispatch has ended, after `stop`."""

    def resume_child(self, core: Core) -> None:
        """Begins again in a forked child."""


class ThreadDispatching(Dispatching):
    """A daemon thread of the client runs the callbacks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: _Loop | None = None

    def start(self, core: Core) -> None:
        """Starts the thread at the first need."""
        with self._lock:
            if self._loop is None:
                loop = _Loop(core, self._forget)
                loop.thread.start()
                self._loop = loop

    def wake(self) -> bool:
        loop = self._loop
        return loop is not None and loop.wake()

    def abandon(self) -> None:
        """The thread itself will close the client."""

    def stop(self) -> None:
        if loop := self._loop:
            loop.stop()

    def join(self, seconds: float | None) -> None:
        if (loop := self._loop) and loop.thread is not threading.current_thread():
            loop.thread.join(seconds)

    def resume_child(self, core: Core) -> None:
        self._lock = threading.Lock()
        loop, self._loop = self._loop, None
        if loop:
            loop.leave_to_parent()
            # A child of a callback ends with that callback, as it would with any thread's function.
            if not core.is_in_callback():
                self.start(core)

    def _forget(self) -> None:
        self._loop = None


class _Loop:
    """The thread and what it waits for: the library's descriptor, and a pipe of its own.

    The pipe is closed with the last reference, so that nobody writes into a descriptor of somebody else's.
    """

    def __init__(self, core: Core, at_end: Callable[[], object]) -> None:
        self._core = core
        self._at_end = at_end
        self._is_ending = False
        self._is_of_parent = False
        self._pipe: tuple[int, ...] = ()
        with core.using() as handle:
            self._descriptor = handles.descriptor(handle)
        self._pipe = self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(self._writer, False)
        self.thread = threading.Thread(target=self._run, name="remora-dispatch", daemon=True)

    def __del__(self) -> None:
        for descriptor in self._pipe:
            os.close(descriptor)

    def wake(self) -> bool:
        """Ends the present wait; false when the thread is ending."""
        if self._is_ending:
            return False
        self._write()
        return True

    def stop(self) -> None:
        """Ends the thread after the callback that is running."""
        self._is_ending = True
        self._write()

    def leave_to_parent(self) -> None:
        """In a forked child: this loop runs in the parent. Here it ends, where the fork came from its own callback."""
        self._is_ending = self._is_of_parent = True

    def _run(self) -> None:
        try:
            self._dispatch_until_end()
        finally:
            if not self._is_of_parent:
                was_stopped, self._is_ending = self._is_ending, True
                self._at_end()
                if not was_stopped:  # Then nobody else ends what was buried until `wake` began to refuse.
                    self._core.end_buried()

    def _dispatch_until_end(self) -> None:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._reader, select.POLLIN)
        while not self._is_ending:
            poll.poll()
            self._clear()
            if self._is_ending:
                break
            try:
                self._core.dispatch()
            except ClosedError:
                break
            except (Exception, KeyboardInterrupt, SystemExit) as error:
                report(error, self._core.dispatch, self._core.logger)
                if isinstance(error, Error):
                    break

    def _write(self) -> None:
        try:
            os.write(self._writer, b"w")
        except BlockingIOError:  # So many wakes wait already that one more makes no difference.
            pass

    def _clear(self) -> None:
        try:
            os.read(self._reader, 4096)
        except BlockingIOError:
            pass
