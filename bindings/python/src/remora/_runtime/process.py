# SPDX-License-Identifier: Apache-2.0
#
# Code for all clients of the process together: at its exit, at its forks, and for exceptions of callbacks.
"""The process: its exit handler, forks, and unraisable exceptions."""

from __future__ import annotations

import _thread
import atexit
import os
import sys
import time

from .._ffi.waiting import in_daemon, visits, wait_forever
from ..errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _weakref import ref
    from typing import Any

cores: set[ref[Any]] = set()
"""Weak references to the clients of this process; each is a `Core`. A WeakSet would be slow to import."""
in_callback: set[int] = set()
"""The threads that are inside a callback of any client."""

_EXIT_SECONDS = 1.0
"""How many seconds the exit handler waits for running callbacks of all clients together."""


def _clients() -> list[Any]:
    return [core for find in list(cores) if (core := find()) is not None]


class _Exit:
    """The exit handler: the library must not call Python after the interpreter has shut down."""

    def __init__(self) -> None:
        self.has_begun = False

    def begin(self) -> None:
        """Stops dispatching threads, ends syncs of daemon threads, and waits a limited time for running callbacks."""
        self.has_begun = True
        deadline = time.monotonic() + _EXIT_SECONDS
        clients = _clients()
        for core in clients:
            core.dispatching.stop()
        for core in clients:
            core.dispatching.join(max(0.0, deadline - time.monotonic()))
        for core in clients:
            core.end_reporting(max(0.0, deadline - time.monotonic()))
        visits.end(max(0.0, deadline - time.monotonic()))

    def holds_this_thread(self) -> bool:
        """Whether the process is exiting and the calling thread is a daemon thread."""
        return self.has_begun and in_daemon()

    def hold_daemon(self) -> None:
        """Blocks forever if the process is exiting and this is a daemon thread, so that the thread calls no Python."""
        if self.holds_this_thread():
            wait_forever()


def report_unraisable(error: BaseException, callback: object) -> None:
    """Calls the program's `sys.unraisablehook`, or writes the exception to stderr."""
    message = "Exception ignored in a callback of remora"
    if sys.unraisablehook is sys.__unraisablehook__:
        # The default hook accepts only a type that Python code cannot create.
        import traceback

        if sys.stderr is not None:
            print(f"{message}: {callback!r}", file=sys.stderr)
            traceback.print_exception(type(error), error, error.__traceback__)
        return
    from types import SimpleNamespace

    report: Any = SimpleNamespace(
        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, err_msg=message, object=callback
    )
    sys.unraisablehook(report)


def _resume_child() -> None:
    in_callback.intersection_update({_thread.get_ident()})
    visits.forget_others()
    clients = _clients()
    for core in clients:
        core.forget_others()
    for core in clients:
        try:
            core.resume_child()
        except (Error, OSError, RuntimeError) as error:  # No thread or descriptor is left. The other clients continue.
            core.report(error, core.resume_child)


exiting = _Exit()
atexit.register(exiting.begin)
os.register_at_fork(after_in_child=_resume_child)
