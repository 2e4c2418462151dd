# SPDX-License-Identifier: Apache-2.0
"""Tests of the dispositions that children are started with."""

from __future__ import annotations

import signal
import subprocess
import sys

from .signals import default_signals

_SHOW = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"


def _is_ignored_in_a_child() -> bool:
    done = subprocess.run([sys.executable, "-S", "-c", _SHOW], capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


def test_a_child_has_default_dispositions_although_its_parent_ignores_a_signal() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert _is_ignored_in_a_child()
        with default_signals():
            assert not _is_ignored_in_a_child()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_handler_of_the_parent_stays() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with default_signals():
        assert signal.getsignal(signal.SIGTERM) is before
