# SPDX-License-Identifier: Apache-2.0
#
# Experiments: the walk over those of a snapshot, and those that an event announces. Like every walk it calls back, and
# so lets go of the interpreter's lock.
"""Experiments."""

from __future__ import annotations

from ctypes import string_at

from .calling import Handle, call
from .library import functions
from .reads import value_text
from .registry import on_experiment, receivers, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple, Union

    from .structures import Event, Experiment

    Told = Tuple[str, str, float, Union[bytes, None]]
    """Name, variant, number, and the JSON text of the keys; None when they are not said."""


def experiments_in(snapshot: Handle) -> list[Told]:
    """What a snapshot says of every experiment, in order."""
    found = _Listing()
    number = register(lambda: found)
    try:
        call(functions["remora_snapshot_experiments"], snapshot, on_experiment, number)
    finally:
        receivers.pop(number)
    return found.experiments


def announced_in(event: Event) -> list[Told]:
    """The same of those that an event announces."""
    return [_read(event.new_experiments[index]) for index in range(event.new_experiment_count)]


def _read(one: Experiment) -> Told:
    name = string_at(one.name, one.name_length).decode()
    variant = string_at(one.variant, one.variant_length).decode()
    return name, variant, one.trackable, value_text(one.settings) if one.settings.node else None


class _Listing:
    """Receives what a walk over experiments tells."""

    def __init__(self) -> None:
        self.experiments: list[Told] = []

    def receive(self, *told: Any) -> None:
        """Notes one experiment."""
        self.experiments.append(_read(told[0]))

    def end(self) -> None:
        """Nothing is kept."""
