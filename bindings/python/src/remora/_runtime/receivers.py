# SPDX-License-Identifier: Apache-2.0
#
# A receiver calls a callback of the program for the library. It catches exceptions, counts running callbacks, and can
# be muted at once, even if the library has queued events.
"""Receivers of callbacks, and asynchronous requests."""

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
    """Converts the arguments of the library to those of the program's callback."""


def _unchanged(*arguments: Any) -> tuple[object, ...]:
    return arguments


class Receiver:
    """Calls a callback of the program until it is muted by `silence`.

    `read` converts the arguments. `at_end` is called when the library has released the receiver, on any thread, whether
    the callback was called or not.
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
        """Mutes the receiver: releases the callback, which is not called any more."""
        self._callback = None

    def receive(self, *arguments: Any) -> None:
        callback = self._callback
        if callback is None:
            return
        with self._core.calling():
            try:
                callback(*self._read(*arguments))
            except Exception as error:
                self._core.report(error, callback)
            except BaseException as error:  # `dispatch` raises these, such as KeyboardInterrupt and SystemExit.
                self._core.interrupt(error, callback)

    def end(self) -> None:
        """Called when the library has released this receiver."""
        self.silence()
        at_end, self._at_end = self._at_end, None
        if at_end is not None:
            at_end()


class EarlyReceiver(Receiver):
    """A receiver that is registered before its client exists."""

    __slots__ = ()

    def __init__(self, callback: Callable[..., object], read: Read) -> None:
        # The core does not exist yet: `attach` sets it before the first dispatch, and so before the first call.
        self._callback = callback
        self._read = read
        self._at_end = None

    def attach(self, core: Core) -> None:
        self._core = core


def kept(receiver: Receiver | None) -> Callable[[], Receiver] | None:
    """Wraps the receiver in a function that keeps it alive; None for None."""
    return None if receiver is None else lambda: receiver


def checked_callback(callback: object) -> Callable[..., object]:
    """Returns the callback. Raises TypeError if it is not callable."""
    if not callable(callback):
        raise TypeError(f"a callback must be callable, not {type(callback).__name__}")
    return callback


# ERROR, WARNING, INFO and DEBUG of `logging`, which is not imported for programs that do not use it.
_LOGGING = {1: 40, 2: 30, 3: 20, 4: 10}
DEBUG = 4
"""The number of the level DEBUG in the library."""


def log_level(logger: Logger) -> int:
    """Returns the library's level for the level of a logger. Raises TypeError for an object that is not a logger."""
    if not callable(getattr(logger, "isEnabledFor", None)):
        raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
    enabled = [level for level, number in _LOGGING.items() if logger.isEnabledFor(number)]
    return max(enabled, default=1)


def log_line(level: int, message: bytes) -> tuple[int, str, str]:
    """Returns the arguments of `Logger.log` for a message of the library."""
    return _LOGGING[min(max(level, 1), 4)], "%s", message.decode("utf-8", "replace")


class Request:
    """A running asynchronous call, such as `refresh_async`. The call continues if this object is deleted."""

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def cancel(self) -> None:
        """Cancels the request. The callback receives CancelledError, unless it was called already."""
        handles.cancel(self._handle)

    # The argument, because at the end of the interpreter the module may be empty already.
    def __del__(self, release: Callable[[Handle], None] = handles.release_request) -> None:
        release(self._handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Request cannot be pickled or copied")
