# SPDX-License-Identifier: Apache-2.0
#
# In the background of a shell SIGINT is ignored, under nohup SIGHUP is, and children inherit that. Tests fork, wait for
# children and send them signals, so they set the dispositions that they rely on.
"""Signal dispositions of children."""

from __future__ import annotations

import signal
from types import FrameType

# Python itself ignores these two, and subprocess restores them in children.
_RESTORED = {signal.SIGPIPE, signal.SIGXFSZ}


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    pass


def set_default_signals_of_children() -> None:
    """Children that start from now on ignore no signal, whatever this process inherited. Call it in the main thread.

    A signal that was ignored stays without effect in this process: exec resets a handler, and keeps SIG_IGN.
    """
    for number in signal.valid_signals() - _RESTORED:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _do_nothing)
