# SPDX-License-Identifier: Apache-2.0
#
# The end of the process, and forks, which concern all clients.
"""Exit handler and forks of the process."""

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
"""The clients of this process; each is a `Core`."""
in_callback: set[int] = set()
"""The threads that are inside a callback of any client."""

_EXIT_SECONDS = 1.0
"""How many seconds the exit handler waits for running callbacks of all clients together."""


class _Exit:
    """The exit handler: the library must not call Python after the interpreter has shut down."""

    def __init__(self) -> None:
        self.has_begun = False

    def begin(self) -> None:
        """Stops the threads, ends syncs of daemon threads, and waits a limited time for running callbacks."""
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
        """Whether the process is exiting and the calling thread is a daemon thread."""
        return self.has_begun and in_daemon()

    def hold_daemon(self) -> None:
        """Never returns if the process is exiting and the calling thread is a daemon thread, so that it calls no Python."""
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
        except (Error, OSError, RuntimeError) as error:  # No thread or descriptor is left. The other clients continue.
            core.report(error, core.resume_child)


exiting = _Exit()
atexit.register(exiting.begin)
os.register_at_fork(after_in_child=_resume_child)
