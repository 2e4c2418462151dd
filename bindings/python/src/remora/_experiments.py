# SPDX-License-Identifier: Apache-2.0
#
# A/B experiments: what settings say of them, and which of them an event announces.
"""Experiments."""

from __future__ import annotations

from types import MappingProxyType

from . import _json
from ._ffi import experiments
from ._record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._events import Event
    from ._ffi.calling import Handle
    from ._ffi.structures import Event as ToldEvent


class Experiment(Record):
    """An A/B experiment of settings, and what the server chose in it."""

    __slots__ = ("name", "settings", "trackable", "variant")

    name: str
    """Its name."""
    variant: str
    """The variant that was chosen; "" when the server says none."""
    trackable: float
    """The server's number; 0 when it says none."""
    settings: tuple[str, ...]
    """The keys that it touches, as far as the server says."""


def experiments_of(snapshot: Handle) -> Mapping[str, Experiment]:
    """The experiments of a snapshot by their names, in its order."""
    return MappingProxyType({one.name: one for one in _made(experiments.experiments_in(snapshot))})


def announced_in(event: ToldEvent) -> tuple[Experiment, ...]:
    """The experiments that an event of the library's announces."""
    return _made(experiments.announced_in(event))


def merged(first: Event, last: Event) -> tuple[Experiment, ...]:
    """What two events announce together: each as it was told last, if it is still so."""
    told = {one.name: one for one in (*first.new_experiments, *last.new_experiments)}
    live = last.new.experiments if told else {}
    return tuple(one for name, one in told.items() if name in live and live[name].variant == one.variant)


def _made(told: Iterable[experiments.Told]) -> tuple[Experiment, ...]:
    return tuple(
        Experiment(name=name, variant=variant, trackable=trackable, settings=tuple(_keys(settings)))
        for name, variant, trackable, settings in told
    )


def _keys(text: bytes | None) -> Iterable[str]:
    return _json.decode(text) if text else ()  # type: ignore[return-value]
