# SPDX-License-Identifier: Apache-2.0
#
# The process that Kinto runs in: takes a listening socket from its parent, and is killed
# by the kernel when the thread that made it ends, however it ends. Run by kinto_server.py only.
"""`python -m Servers.kinto_child INI SOCKET_FD PARENT_PID`."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys

from pyramid.paster import get_app, setup_logging
from waitress import serve

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Asks for SIGKILL at the parent's end; ends at once when it is gone already."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit("the parent process is gone")


def main(ini: str, descriptor: int, parent: int) -> None:
    """Serves the application of an ini file until killed."""
    die_with_parent(parent)
    setup_logging(ini)
    serve(get_app(ini), sockets=[socket.socket(fileno=descriptor)], threads=4, _quiet=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
