# SPDX-License-Identifier: Apache-2.0
#
# Bundles, and the walk over their namespaces, which calls back and so lets go of the interpreter's lock.
"""Bundles."""

from __future__ import annotations

from ctypes import string_at

from . import structures
from .calling import Handle, call
from .handles import opened
from .library import functions
from .registry import on_namespace, receivers, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .calling import Field


def open_bundle(client: Handle, fields: Mapping[str, Field], receiver: int | None) -> Handle:
    """Opens a bundle; `receiver` is the number of its first subscriber."""
    return opened(client, structures.BundleOptions(), "bundle", fields, receiver)


def namespaces(source: Handle, snapshot: Handle | None) -> list[tuple[str, bool, bool, int]]:
    """Name, whether it is of the bundle, whether it is the default, and origin of every namespace, in order."""
    found = _Listing()
    number = register(lambda: found)
    try:
        call(functions["remora_source_namespaces"], source, snapshot, on_namespace, number)
    finally:
        receivers.pop(number)
    return found.namespaces


class _Listing:
    """Receives what a walk over namespaces tells."""

    def __init__(self) -> None:
        self.namespaces: list[tuple[str, bool, bool, int]] = []

    def receive(self, *told: Any) -> None:
        """Notes one namespace."""
        (one,) = told
        name = string_at(one.name, one.name_length).decode()
        self.namespaces.append((name, bool(one.in_bundle), bool(one.is_default), one.origin))

    def end(self) -> None:
        """Nothing is kept."""
