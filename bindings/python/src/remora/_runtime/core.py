# SPDX-License-Identifier: Apache-2.0
"""The owner of the library's client. No thread uses the handle while it is being closed. Finalizers do not wait: calls
that may wait are deferred ("buried") to the thread that dispatches.
"""

from __future__ import annotations

import _thread
from _weakref import ref  # `weakref` has it too, and takes longer to import.

from .._ffi import handles
from .._ffi.waiting import Condition
from ..errors import closed
from .process import cores, exiting, in_callback, report_unraisable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

    from .._ffi.calling import Handle

_MOST_ENDS = 100
"""How many deferred calls a dispatch makes before it runs callbacks."""
_ALL = 1 << 62
_SYNC_SECONDS = 0.2
"""How many seconds the exit handler waits for syncs before it ends them."""


class _Use:
    """The calls that use a client's handle now. A forked child starts without its parent's calls."""

    __slots__ = ("callbacks", "changed", "reporting", "syncing", "users")

    def __init__(self) -> None:
        self.changed = Condition()
        self.users = 0
        self.callbacks = 0
        self.reporting = 0
        self.syncing = 0
        """The number of running syncs, which `reporting` and `users` count too."""


class _Using:
    """Context for one use of a client's handle."""

    __slots__ = ("_core", "_use")

    def __init__(self, core: Core) -> None:
        self._core = core
        self._use = core._use

    def __enter__(self) -> Handle:
        with self._use.changed:
            if self._core.is_closed:
                raise closed("client")
            self._use.users += 1
        return self._core._handle

    def __exit__(self, *_: object) -> None:
        with self._use.changed:
            self._use.users -= 1
            self._use.changed.notify_all()


class _Reporting:
    """Context for a call of the library that waits, and meanwhile calls Python on the same thread."""

    __slots__ = ("_is_sync", "_use")

    def __init__(self, core: Core, is_sync: bool) -> None:
        self._is_sync = is_sync
        self._use = core._use

    def __enter__(self) -> None:
        with self._use.changed:
            if not exiting.holds_this_thread():
                self._use.reporting += 1
                self._use.syncing += self._is_sync
        exiting.hold_daemon()

    def __exit__(self, *_: object) -> None:
        with self._use.changed:
            self._use.reporting -= 1
            self._use.syncing -= self._is_sync
            self._use.changed.notify_all()
        exiting.hold_daemon()


class _Calling:
    """Context for a running callback, inside a dispatch."""

    __slots__ = ("_is_nested", "_thread", "_use")

    def __init__(self, core: Core) -> None:
        self._use = core._use
        self._thread = _thread.get_ident()
        self._is_nested = self._thread in in_callback

    def __enter__(self) -> None:
        in_callback.add(self._thread)
        with self._use.changed:
            self._use.callbacks += 1
            self._use.changed.notify_all()

    def __exit__(self, *_: object) -> None:
        if not self._is_nested:
            in_callback.discard(self._thread)
        with self._use.changed:
            self._use.callbacks -= 1


class Dispatching:
    """The way in which callbacks run. With this base class, the program calls `Client.dispatch` to run them."""

    def __init__(self) -> None:
        self._is_started = False

    def start(self, core: Core) -> None:
        """Starts running callbacks. Called before the first callback can be queued."""
        self._is_started = True

    def wake(self) -> bool:
        """Wakes the dispatching thread to make the deferred calls. Returns False if there is none. For finalizers."""
        return self._is_started

    def abandon(self) -> None:
        """Called when the last reference to the client is deleted."""
        self._is_started = False

    def require_waiting(self) -> None:
        """Raises RuntimeError on a thread that must not wait."""

    def stop(self) -> None:
        """Prevents further dispatches. Does not wait."""

    def join(self, seconds: float | None) -> None:
        """Waits until the last dispatch has returned. Called after `stop`."""

    def resume_child(self, core: Core) -> None:
        """Starts running callbacks again in a forked child."""


class Core:
    """A client of the library.

    `_use.changed` guards `is_closed` and the numbers of calls that use the handle. `_buried` has the deferred calls;
    its methods are atomic, so it needs no lock. `close` waits for all calls except those inside callbacks, for which
    the library waits.
    """

    def __init__(
        self, handle: Handle, dispatching: Dispatching, logger: Logger | None, is_debugged: bool = False
    ) -> None:
        self.logger = logger
        self.is_debugged = is_debugged
        """Whether the logger receives debug lines."""
        self.is_closed = False
        self.dispatching = dispatching
        self._handle = handle
        self._use = _Use()
        self._interruption: BaseException | None = None
        self._buried: list[Callable[[], object]] = []
        cores.add(ref(self, cores.discard))

    @staticmethod
    def is_in_callback() -> bool:
        """Whether the calling thread is inside a callback of any client."""
        return _thread.get_ident() in in_callback

    def using(self) -> _Using:
        """Returns a context that provides the handle. Raises ClosedError."""
        return _Using(self)

    def calling(self) -> _Calling:
        """Returns a context for a running callback."""
        return _Calling(self)

    def reporting(self, is_sync: bool = False) -> _Reporting:
        """Returns a context for a waiting call that calls Python on this thread."""
        return _Reporting(self, is_sync)

    def interrupt(self, error: BaseException, callback: object) -> None:
        """Stores an exception of a callback, which `dispatch` raises later. Reports a second exception."""
        if self._interruption is None:
            self._interruption = error
        else:
            self.report(error, callback)

    def report(self, error: BaseException, callback: object) -> None:
        """Reports an exception of a callback to the logger or to `sys.unraisablehook`. Raises no exception, which would
        end the dispatching thread."""
        if self.logger is not None:
            try:
                self.logger.error("a callback raised: %r", callback, exc_info=error)
                return
            except Exception:  # The logger itself may be the callback that raised.
                pass
        try:
            report_unraisable(error, callback)
        except Exception:  # The program's hook raised, or stderr is closed.
            pass

    def start(self) -> None:
        """Starts running callbacks. Raises UnavailableError or ClosedError."""
        exiting.hold_daemon()
        if exiting.has_begun:
            raise closed("process")
        self.dispatching.start(self)

    def dispatch(self) -> int:
        """Runs the queued callbacks, and returns their number."""
        self.end_buried(_MOST_ENDS)
        with self.using() as handle:
            count = handles.dispatch(handle)
        error, self._interruption = self._interruption, None
        if error is not None:
            raise error
        return count

    def bury(self, end: Callable[[], object]) -> None:
        """Defers a call, which may wait, to the dispatching thread. Without this thread, calls now. For finalizers."""
        if exiting.has_begun:
            return
        self._buried.append(end)
        if not self.dispatching.wake():
            self.end_buried()

    def end_buried(self, most: int = _ALL) -> None:
        """Makes the deferred calls, at most `most` of them. The others wait for the next dispatch."""
        ended = 0
        while self._buried:
            if ended >= most:
                self.dispatching.wake()
                return
            ended += 1
            try:
                end = self._buried.pop(0)
            except IndexError:  # Another thread was quicker.
                return
            end()

    def close(self, seconds: float | None = None) -> None:
        """Closes the client. A second call does nothing. Inside a callback it returns at once.

        Waits until the handle is not used any more. If this takes longer than `seconds`, the library's client stays
        open.
        """
        use = self._use
        with use.changed:
            if self.is_closed:
                return
            self.is_closed = True
            self.dispatching.stop()
            # With `seconds`, at the process's end, the library's close ends the syncs. A sync that was running when
            # `end_reporting` began has entered the library by now.
            try:
                is_unused = use.changed.wait_for(
                    lambda: use.users - (use.syncing if seconds is not None else 0) <= use.callbacks, seconds
                )
            except BaseException:  # Raised by a signal handler. The next `close` closes the client.
                self.is_closed = False
                raise
            if not is_unused:
                return
        self.end_buried()
        handles.close(self._handle)
        if not self.is_in_callback():
            self.dispatching.join(None)

    def abandon(self) -> None:
        """Closes a client whose last reference was deleted. For finalizers."""
        self.dispatching.abandon()
        self.bury(self.close)

    def end_reporting(self, seconds: float) -> None:
        """Ends syncs of daemon threads, which must not call Python after the interpreter has shut down.

        For the exit handler.
        """
        use = self._use
        with use.changed:
            use.changed.wait_for(lambda: not use.syncing, min(_SYNC_SECONDS, seconds))
            # The library's close would wait for a callback that has not ended by now.
            if not use.reporting or use.callbacks:
                return
        self.close(seconds)
        with use.changed:
            use.changed.wait_for(lambda: not use.reporting, seconds)

    def forget_others(self) -> None:
        """Resets the counts in a forked child, where other threads do not exist."""
        self._use = _Use()

    def resume_child(self) -> None:
        """Starts running callbacks in a forked child, after `forget_others` of every client."""
        if not self.is_closed:
            self.dispatching.resume_child(self)
