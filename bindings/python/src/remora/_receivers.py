# SPDX-License-Identifier: Apache-2.0
#
# What stands between the library and a user's callback: it lets no exception through, says that a callback is running,
# and can be silenced at once, whatever the library still has in its queue.
"""Receivers of callbacks."""

from __future__ import annotations

import sys
import threading

from ._content import Content
from ._enums import Outcome
from ._events import event_from
from ._ffi.calling import error_at
from ._ffi.reads import retain
from ._snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger
    from typing import Any

    from ._core import Core
    from ._events import Event
    from ._source_base import SourceBase
    from .errors import Error

_PROMISE_SECONDS = 1.0
"""How long who asks for a source waits until it has been opened."""


class Receiver:
    """Calls one callback of a user's until `silence`."""

    __slots__ = ("__weakref__", "_callback", "_core")

    def __init__(self, core: Core, callback: Callable[..., object]) -> None:
        self._core = core
        self._callback: Callable[..., object] | None = callback

    def silence(self) -> None:
        """No call begins afterwards, and the callback is let go."""
        self._callback = None

    def receive(self, *told: Any) -> None:
        """Calls the callback with what `read` makes of what the library told."""
        callback = self._callback
        if callback is None:
            return
        with self._core.calling():
            try:
                callback(*self.read(*told))
            except Exception as error:
                report(error, callback, self._core.logger)
            except BaseException as error:  # Ctrl-C and SystemExit belong to whoever called dispatch.
                self._core.interrupt(error)

    def read(self, *told: Any) -> tuple[object, ...]:
        """What the callback is called with."""
        return told

    def end(self) -> None:
        """The library has let go of this receiver."""
        self.silence()


class EventReceiver(Receiver):
    """Of events of a source."""

    __slots__ = ("_source",)

    def __init__(self, core: Core, callback: Callable[..., object], source: Callable[[], SourceBase | None]) -> None:
        super().__init__(core, callback)
        self._source = source

    def read(self, *told: Any) -> tuple[Event]:
        return (event_from(told[0], self._source),)


class PromisedSource:
    """A source that is being opened: events of it may be told before there is an object for it."""

    __slots__ = ("_find", "_is_kept")

    def __init__(self) -> None:
        self._find: Callable[[], SourceBase | None] = lambda: None
        self._is_kept = threading.Event()

    def keep(self, find: Callable[[], SourceBase | None]) -> None:
        """Says which it is."""
        self._find = find
        self._is_kept.set()

    def __call__(self) -> SourceBase | None:
        # In a child that is forked meanwhile it is never kept.
        self._is_kept.wait(_PROMISE_SECONDS)
        return self._find()


class FirstReceiver(EventReceiver):
    """Of events of a source from its opening on."""

    __slots__ = ("source",)

    def __init__(self, core: Core, callback: Callable[..., object]) -> None:
        self.source = PromisedSource()
        super().__init__(core, callback, self.source)


class RefreshReceiver(Receiver):
    """Of the end of an asynchronous refresh."""

    __slots__ = ()

    def read(self, *told: Any) -> tuple[Outcome, Error | None]:
        _, outcome, error = told
        return Outcome(outcome), error_at(error)


class WaitReceiver(Receiver):
    """Of the end of an asynchronous wait."""

    __slots__ = ("_source",)

    def __init__(self, core: Core, callback: Callable[..., object], source: Callable[[], SourceBase | None]) -> None:
        super().__init__(core, callback)
        self._source = source

    def read(self, *told: Any) -> tuple[Snapshot]:
        address, error = told
        return (Snapshot(Content(retain(address), self._source), error_at(error)),)


class EarlyReceiver(Receiver):
    """A receiver that is needed to make its client."""

    __slots__ = ()

    def __init__(self, callback: Callable[..., object]) -> None:
        # There is no core yet: `attach` comes before the first dispatch, and so before the first call.
        self._callback = callback

    def attach(self, core: Core) -> None:
        """Says whose receiver it is."""
        self._core = core


class LogReceiver(EarlyReceiver):
    """Of the library's messages: writes them to a logger."""

    __slots__ = ()

    def read(self, *told: Any) -> tuple[int, str, str]:
        level, message = told
        return _LOGGING[min(max(level, 1), 4)], "%s", message.decode("utf-8", "replace")


# Numbers of `logging`, which is not imported for users who do not use it: ERROR, WARNING, INFO, DEBUG.
_LOGGING = {1: 40, 2: 30, 3: 20, 4: 10}


def log_level(logger: Logger) -> int:
    """The library's level for what a logger lets through."""
    enabled = [level for level, number in _LOGGING.items() if logger.isEnabledFor(number)]
    return max(enabled, default=1)


def checked_callback(callback: object) -> Callable[..., object]:
    """The callback; TypeError when it is none."""
    if not callable(callback):
        raise TypeError(f"a callback must be callable, not {type(callback).__name__}")
    return callback


def report(error: BaseException, callback: object, logger: Logger | None) -> None:
    """Reports an exception that a callback raised, and that goes no further. Raises nothing itself: the thread that
    dispatches would end with it."""
    if logger is not None:
        try:
            logger.error("a callback raised: %r", callback, exc_info=error)
            return
        except Exception:  # The logger itself may be the callback that raised.
            pass
    try:
        _report_unraisable(error, callback)
    except Exception:  # A hook of the host's, or stderr is closed.
        pass


def _report_unraisable(error: BaseException, callback: object) -> None:
    """Calls the host's hook for exceptions that go no further, or writes to stderr."""
    message = "Exception ignored in a callback of remora"
    if sys.unraisablehook is sys.__unraisablehook__:
        # It takes nothing but a type of its own, which Python cannot make.
        import traceback

        if sys.stderr is not None:
            print(f"{message}: {callback!r}", file=sys.stderr)
            traceback.print_exception(type(error), error, error.__traceback__)
        return
    from types import SimpleNamespace

    told: Any = SimpleNamespace(
        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, err_msg=message, object=callback
    )
    sys.unraisablehook(told)
