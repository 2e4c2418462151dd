# SPDX-License-Identifier: Apache-2.0
#
# A/B experiments: what settings say of them, and which of them an event announces.
"""Experiments."""

from __future__ import annotations

from types import MappingProxyType

from ._ffi import reads
from .values import Record, decode_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._ffi.calling import Handle
    from ._ffi.reads import ToldExperiment
    from ._ffi.structures import Event


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
    return MappingProxyType({one.name: one for one in _made(reads.experiments_in(snapshot))})


def announced_in(event: Event) -> tuple[Experiment, ...]:
    """The experiments that an event of the library's announces."""
    return _made(reads.announced_in(event))


def _made(told: Iterable[ToldExperiment]) -> tuple[Experiment, ...]:
    return tuple(
        Experiment(name=name, variant=variant, trackable=trackable, settings=tuple(_keys(settings)))
        for name, variant, trackable, settings in told
    )


def _keys(text: bytes | None) -> Iterable[str]:
    return decode_json(text) if text else ()  # type: ignore[return-value]
