# SPDX-License-Identifier: Apache-2.0
#
# `Settings.get` reads by the type of its default, so that a server that changes a type cannot surprise the program.
"""Typed reads by a default."""

from __future__ import annotations

from ._snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Read = Callable[[Snapshot, str, Any], Any]

_READS: dict[Any, Any] = {
    bool: Snapshot.get_bool,  # Before int, whose subclass it is.
    int: Snapshot.get_int,
    float: Snapshot.get_float,
    str: Snapshot.get_str,
    list: Snapshot.get_list,
    dict: Snapshot.get_dict,
    "url": Snapshot.get_url,
}
"""The typed read of each type."""


def read_as(kind: object, default: object) -> Read:
    """How a value of a type is read, or else one of the default's type. TypeError for a type that no value has."""
    if kind is None:
        kind = next((known for known in _READS if known != "url" and isinstance(default, known)), None)
    elif not isinstance(kind, (type, str)) or kind not in _READS:
        raise TypeError('type must be bool, int, float, str, list, dict or "url"')
    if kind is None:
        return _read_any
    read = _READS[kind]
    return lambda snapshot, key, default: read(snapshot, key, None, default)


def _read_any(snapshot: Snapshot, key: str, default: object) -> object:
    value = snapshot.get(key)
    return default if value is None else value
