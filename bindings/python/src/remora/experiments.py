# SPDX-License-Identifier: Apache-2.0
"""A/B experiments: the experiments of settings, and those that an event reports."""

from __future__ import annotations

from types import MappingProxyType

from ._ffi import notifying
from ._runtime.data import Record, decode_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._ffi.callbacks import Event
    from ._ffi.calling import Handle
    from ._ffi.notifying import ExperimentFields


class Experiment(Record):
    """An A/B experiment of settings, and the variant that the server chose."""

    __slots__ = ("name", "settings", "trackable", "variant")

    name: str
    variant: str
    """The variant that the server chose; "" if the server sent no variant."""
    trackable: float
    """A number for your analytics, which Remora does not interpret; 0 if the server sent none."""
    settings: tuple[str, ...]
    """The keys that the experiment affects; empty if the server lists none."""


def experiments_of(snapshot: Handle) -> Mapping[str, Experiment]:
    """Returns the experiments of a snapshot by their names, in the order of the document."""
    return MappingProxyType({one.name: one for one in _made(notifying.experiments_in(snapshot))})


def new_experiments(event: Event) -> tuple[Experiment, ...]:
    """Returns the experiments that an event of the library reports."""
    return _made(notifying.new_experiments(event))


def _made(experiments: Iterable[ExperimentFields]) -> tuple[Experiment, ...]:
    return tuple(
        Experiment(name=name, variant=variant, trackable=trackable, settings=tuple(_keys(settings)))
        for name, variant, trackable, settings in experiments
    )


def _keys(text: bytes | None) -> Iterable[str]:
    return decode_json(text) if text else ()  # type: ignore[return-value]
