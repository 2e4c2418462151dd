# SPDX-License-Identifier: Apache-2.0
#
# Handles of the library that end exactly once. They are what calls are given, and a call keeps its arguments: so no
# handle ends under a call. Ending without `close` is left to the client, because a finalizer must not wait.
"""Handles with an end."""

from __future__ import annotations

from ._ffi import handles, reads
from ._ffi.calling import Handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._core import Core


class SourceHandle(Handle):
    """A source's handle, ended with its last reference."""

    __slots__ = ("_core", "argument", "may_wait")

    def __init__(self, core: Core | None, handle: Handle) -> None:
        super().__init__(handle.value)
        self._core = core
        self.argument = reads.argument(self)
        """The handle for the hottest reads."""
        self.may_wait = False
        """Whether its end may wait for a callback: where a user closes it, not where it is merely dropped."""

    def __del__(self) -> None:
        if self._core is None:
            return
        if self.may_wait:
            handles.close_source(self)
        else:
            # A copy, because this object is not to live again.
            handle = Handle(self.value)
            self._core.bury(lambda: handles.close_source(handle))


CLOSED_SOURCE = SourceHandle(None, Handle())
"""Stands for the handle of a closed source: the library answers NULL with the default."""


class SubscriptionHandle:
    """A subscription's handle: ended by `close`, or with its last reference."""

    __slots__ = ("_core", "_handles")

    def __init__(self, core: Core, handle: Handle) -> None:
        self._core = core
        self._handles = [handle]

    def close(self) -> None:
        """Ends the subscription, and waits for its callback when that is running on another thread."""
        for handle in self._taken():
            handles.unsubscribe(handle)

    def __del__(self) -> None:
        for handle in self._taken():
            self._core.bury(lambda: handles.unsubscribe(handle))

    def _taken(self) -> list[Handle]:
        try:
            return [self._handles.pop()]
        except IndexError:  # Another thread, or an earlier call.
            return []
