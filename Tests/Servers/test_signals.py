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
def test_after_set_default_signals_of_children_a_child_process_ignores_no_signals_even_if_its_parent_does() -> None:
    set_default_signals_of_children()
    assert ignored_in_a_child() == set()
    signal.raise_signal(signal.SIGHUP)


def test_set_default_signals_of_children_keeps_the_signal_handlers_of_the_process_that_calls_it() -> None:
    before = signal.getsignal(signal.SIGTERM)
    set_default_signals_of_children()
    assert signal.getsignal(signal.SIGTERM) is before


def test_child_processes_of_the_test_process_ignore_no_signals() -> None:
    assert ignored_in_a_child() == set()
