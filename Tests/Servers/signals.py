# SPDX-License-Identifier: Apache-2.0
#
# In the background of a shell SIGINT is ignored, under nohup SIGHUP is, and children inherit that. Tests that send signals
# to a child start it with the dispositions that they rely on.
"""Signal dispositions of children."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def default_signals() -> Iterator[None]:
    """Children that are started inside have no signal ignored that ends programs. In the main thread only."""
    ignored = [number for number in _SIGNALS if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
