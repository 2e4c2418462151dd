# SPDX-License-Identifier: Apache-2.0
#
# The way back from the library into Python. It knows one function per callback type and one that ends user data, made
# once; the user data of a registration is a number, never an address. Nothing raised here reaches the library.
"""Callbacks that the library calls."""

from __future__ import annotations

import itertools
from operator import attrgetter

from .callbacks import (
    AttemptCallback,
    ChangeVisitor,
    EventCallback,
    ExperimentVisitor,
    FreeUserData,
    LogCallback,
    NamespaceVisitor,
    OverrideVisitor,
    ProgressCallback,
    ResultCallback,
    SourceVisitor,
    SyncCallback,
)
from .calling import call, visits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    T = TypeVar("T")

    class Receiver(Protocol):
        """Is called with the arguments of its callback, and once at the end."""

        def receive(self, *arguments: Any) -> None:
            """Is called by the library; the arguments are valid during the call. Raises nothing."""

        def end(self) -> None:
            """Is called once the library has released the receiver. Raises nothing; on any thread of Python's."""


_numbers = itertools.count(1)
receivers: dict[int, Callable[[], Receiver | None]] = {}
"""The receivers by number; a weak reference if something else keeps the receiver alive."""


def register(receiver: Callable[[], Receiver | None]) -> int:
    """Enters a receiver, or a weak reference to one, until the library frees its user data."""
    number = next(_numbers)
    receivers[number] = receiver
    return number


class _Listener:
    """A function as a receiver."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def receive(self, *arguments: Any) -> None:
        """Calls the function."""
        self._function(*arguments)

    def end(self) -> None:
        """Keeps nothing."""


def register_function(function: Callable[..., object]) -> int:
    """Enters a function, which raises nothing, as a receiver until the library frees its user data."""
    listener = _Listener(function)
    return register(lambda: listener)


def listening(function: Callable[..., object], make_call: Callable[[int], T]) -> T:
    """Makes a call with the number of a function, which the library calls during that call only."""
    number = register_function(function)
    try:
        return make_call(number)
    finally:
        receivers.pop(number)


def listed(function: Any, *arguments: Any, read: Callable[[Any], T]) -> list[T]:
    """Calls a function of the library that walks over structures; returns what `read` makes of each of them."""
    found: list[T] = []
    with visits:
        listening(lambda structure: found.append(read(structure)), lambda number: call(function, *arguments, number))
    return found


def find_receiver(number: int | None) -> Receiver | None:
    """Returns the receiver with a number; None if it has ended."""
    # Zero and NULL are None, and are never the number of a receiver.
    find = receivers.get(number or 0)
    return find() if find else None


def _pass_structure(structure: Any, number: int | None) -> None:
    if receiver := find_receiver(number):
        receiver.receive(structure.contents)


def passing(*fields: str) -> Callable[[Any, int | None], None]:
    """Returns a function that passes fields of the structure to the receiver."""
    read = attrgetter(*fields)

    def pass_on(structure: Any, number: int | None) -> None:
        if receiver := find_receiver(number):
            receiver.receive(*read(structure.contents))

    return pass_on


def _walked(structure: Any, number: int | None) -> int:
    _pass_structure(structure, number)
    return 0


def _free(number: int | None) -> None:
    receiver = find_receiver(number)
    receivers.pop(number or 0, None)
    if receiver:
        receiver.end()


on_event = EventCallback(_pass_structure)
on_attempt = AttemptCallback(_pass_structure)
on_synced = SyncCallback(_pass_structure)
on_refreshed = ResultCallback(passing("status", "outcome", "error"))
on_awaited = ResultCallback(passing("snapshot", "error"))
on_opened = ResultCallback(passing("attachment", "error"))
on_progress = ProgressCallback(passing("received", "total"))
on_log = LogCallback(passing("level", "message"))
on_change = ChangeVisitor(_walked)
on_override = OverrideVisitor(_walked)
on_namespace = NamespaceVisitor(_walked)
on_source = SourceVisitor(_walked)
on_experiment = ExperimentVisitor(_walked)
on_free = FreeUserData(_free)
