# SPDX-License-Identifier: Apache-2.0
#
# The end of the process, and forks, which concern all clients.
"""The process."""

from __future__ import annotations

import _thread
import atexit
import os
import time
from _weakrefset import WeakSet  # `weakref` has it too, and takes longer to import.

from .._ffi.calling import in_daemon, visits, wait_forever
from ..errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

cores: WeakSet[Any] = WeakSet()
"""The clients of this process: each is a `Core`."""
in_callback: set[int] = set()
"""The threads that are inside a callback, of whichever client."""

_EXIT_SECONDS = 1.0
"""How long the end of the process waits for callbacks that are running, all together."""


class _Exit:
    """The end of the process: no thread may be called by the library when the interpreter ends."""

    def __init__(self) -> None:
        self.has_begun = False

    def begin(self) -> None:
        """Stops the threads, ends what reports on a daemon thread, and waits a limited time for callbacks."""
        self.has_begun = True
        deadline = time.monotonic() + _EXIT_SECONDS
        clients = list(cores)
        for core in clients:
            core.dispatching.stop()
        for core in clients:
            core.dispatching.join(max(0.0, deadline - time.monotonic()))
        for core in clients:
            core.end_reporting(max(0.0, deadline - time.monotonic()))
        visits.end(max(0.0, deadline - time.monotonic()))

    def holds_this_thread(self) -> bool:
        """Whether this thread must not return to Python any more."""
        return self.has_begun and in_daemon()

    def hold_daemon(self) -> None:
        """Keeps a daemon thread here while the process ends, as every other call that waits does."""
        if self.holds_this_thread():
            wait_forever()


def _resume_child() -> None:
    in_callback.intersection_update({_thread.get_ident()})
    visits.forget_others()
    clients = list(cores)
    for core in clients:
        core.forget_others()
    for core in clients:
        try:
            core.resume_child()
        except (Error, OSError, RuntimeError) as error:  # No thread or descriptor: the others go on.
            core.report(error, core.resume_child)


exiting = _Exit()
atexit.register(exiting.begin)
os.register_at_fork(after_in_child=_resume_child)
