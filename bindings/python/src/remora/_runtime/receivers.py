# SPDX-License-Identifier: Apache-2.0
#
# A receiver stands between the library and a user's callback. It lets no exception through, notes that a callback is
# running, and can be muted at once, whatever the library still has in its queue.
"""Receivers of callbacks, and requests that end in one."""

from __future__ import annotations

from .._ffi import handles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger
    from typing import Any, NoReturn

    from .._ffi.calling import Handle
    from .core import Core

    Read = Callable[..., "tuple[object, ...]"]
    """Makes the arguments of a user's callback from those of the library."""


def _unchanged(*arguments: Any) -> tuple[object, ...]:
    return arguments


class Receiver:
    """Calls one callback of a user's until `silence`.

    `read` makes the arguments of the callback from those of the library. `at_end` is called when the library has
    released the receiver, on any thread, whether the callback was called or not.
    """

    __slots__ = ("__weakref__", "_at_end", "_callback", "_core", "_read")

    def __init__(
        self,
        core: Core,
        callback: Callable[..., object],
        read: Read = _unchanged,
        at_end: Callable[[], object] | None = None,
    ) -> None:
        self._core = core
        self._callback: Callable[..., object] | None = callback
        self._read = read
        self._at_end = at_end

    def silence(self) -> None:
        """Makes no call afterwards, and releases the callback."""
        self._callback = None

    def receive(self, *arguments: Any) -> None:
        """Calls the callback."""
        callback = self._callback
        if callback is None:
            return
        with self._core.calling():
            try:
                callback(*self._read(*arguments))
            except Exception as error:
                self._core.report(error, callback)
            except BaseException as error:  # Ctrl-C and SystemExit belong to whoever called dispatch.
                self._core.interrupt(error)

    def end(self) -> None:
        """Is called by the library when it has released this receiver."""
        self.silence()
        at_end, self._at_end = self._at_end, None
        if at_end is not None:
            at_end()


class EarlyReceiver(Receiver):
    """A receiver that is needed to make its client."""

    __slots__ = ()

    def __init__(self, callback: Callable[..., object], read: Read) -> None:
        # The core does not exist yet: `attach` is called before the first dispatch, and so before the first call.
        self._callback = callback
        self._read = read
        self._at_end = None

    def attach(self, core: Core) -> None:
        """Sets the core of the client."""
        self._core = core


def kept(receiver: Receiver | None) -> Callable[[], Receiver] | None:
    """Returns a function that keeps a receiver, so that it lives until the library releases it."""
    return None if receiver is None else lambda: receiver


def checked_callback(callback: object) -> Callable[..., object]:
    """Returns the callback. Raises TypeError if it is not callable."""
    if not callable(callback):
        raise TypeError(f"a callback must be callable, not {type(callback).__name__}")
    return callback


# Numbers of `logging`, which is not imported for users who do not use it: ERROR, WARNING, INFO, DEBUG.
_LOGGING = {1: 40, 2: 30, 3: 20, 4: 10}
DEBUG = 4
"""The library's level of debug lines."""


def log_level(logger: Logger) -> int:
    """The library's level for what a logger lets through. Raises TypeError for what is not a logger."""
    if not callable(getattr(logger, "isEnabledFor", None)):
        raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
    enabled = [level for level, number in _LOGGING.items() if logger.isEnabledFor(number)]
    return max(enabled, default=1)


def log_line(level: int, message: bytes) -> tuple[int, str, str]:
    """What `Logger.log` is called with for a message of the library's."""
    return _LOGGING[min(max(level, 1), 4)], "%s", message.decode("utf-8", "replace")


class Request:
    """One asynchronous refresh, wait, sync or opening. Dropping it does not cancel it: the callback is still called."""

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def cancel(self) -> None:
        """Cancels the request: the callback gets CancelledError, unless it was called already."""
        handles.cancel(self._handle)

    def __del__(self) -> None:
        handles.release_request(self._handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Request cannot be pickled or copied")
