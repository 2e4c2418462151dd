# SPDX-License-Identifier: Apache-2.0
"""Callbacks from the library into Python. Each callback type has one function, which is created once. The user data of
a registration is a number, never an address. No exception reaches the library.
"""

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
from .calling import call
from .waiting import visits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol, TypeVar

    T = TypeVar("T")

    class Receiver(Protocol):
        """The object that a callback of the library calls."""

        def receive(self, *arguments: Any) -> None:
            """Called by the library. The arguments are valid during the call. Must not raise exceptions."""

        def end(self) -> None:
            """Called once, when the library has released the receiver, on any thread of Python.

            Must not raise exceptions.
            """


_numbers = itertools.count(1)
receivers: dict[int, Callable[[], Receiver | None]] = {}
"""Functions that return the receivers, by number. For a receiver that another object keeps, a weak reference."""


def register(receiver: Callable[[], Receiver | None]) -> int:
    """Registers a receiver, or a weak reference to one, until the library frees its user data. Returns its number."""
    number = next(_numbers)
    receivers[number] = receiver
    return number


class _Listener:
    """A receiver that calls a function."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def receive(self, *arguments: Any) -> None:
        self._function(*arguments)

    def end(self) -> None:
        """Does nothing."""


def register_function(function: Callable[..., object]) -> int:
    """Registers a function, which must not raise exceptions, until the library frees its user data.

    Returns its number.
    """
    listener = _Listener(function)
    return register(lambda: listener)


def listening(function: Callable[..., object], make_call: Callable[[int], T]) -> T:
    """Registers a function, makes a call with its number, and unregisters the function."""
    number = register_function(function)
    try:
        return make_call(number)
    finally:
        receivers.pop(number)


def listed(function: Any, *arguments: Any, read: Callable[[Any], T]) -> list[T]:
    """Calls a function of the library that iterates over structures.

    Returns the structures, each converted by `read`.
    """
    found: list[T] = []
    with visits:
        listening(lambda structure: found.append(read(structure)), lambda number: call(function, *arguments, number))
    return found


def find_receiver(number: int | None) -> Receiver | None:
    """Returns the receiver with a number, or None if it was released."""
    # ctypes passes NULL, which is 0, as None. No receiver has the number 0.
    find = receivers.get(number or 0)
    return find() if find else None


def _pass_structure(structure: Any, number: int | None) -> None:
    if receiver := find_receiver(number):
        receiver.receive(structure.contents)


def passing(*fields: str) -> Callable[[Any, int | None], None]:
    """Returns a callback that passes these fields of its structure to the receiver."""
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
on_awaited = ResultCallback(passing("snapshot", "error", "source"))
on_opened = ResultCallback(passing("attachment", "error"))
on_progress = ProgressCallback(passing("received", "total"))
on_log = LogCallback(passing("level", "message"))
on_change = ChangeVisitor(_walked)
on_override = OverrideVisitor(_walked)
on_namespace = NamespaceVisitor(_walked)
on_source = SourceVisitor(_walked)
on_experiment = ExperimentVisitor(_walked)
on_free = FreeUserData(_free)
