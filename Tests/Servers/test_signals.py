# SPDX-License-Identifier: Apache-2.0
"""Tests of the dispositions that children are started with."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator

import pytest

from .signals import set_default_signals_of_children

NUMBERS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD)


@pytest.fixture
def ignored() -> Iterator[None]:
    """This process ignores signals, as one in the background of a shell does."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def ignored_in_a_child() -> set[signal.Signals]:
    command = ["grep", "SigIgn", "/proc/self/status"]
    mask = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1], 16)
    return {number for number in signal.Signals if mask >> (number - 1) & 1}


@pytest.mark.usefixtures("ignored")
def test_a_child_ignores_no_signal_although_its_parent_did() -> None:
    set_default_signals_of_children()
    assert ignored_in_a_child() == set()
    signal.raise_signal(signal.SIGHUP)


def test_a_handler_of_the_parent_stays() -> None:
    before = signal.getsignal(signal.SIGTERM)
    set_default_signals_of_children()
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_tests_themselves_ignore_no_signal_that_children_would_inherit() -> None:
    assert ignored_in_a_child() == set()
