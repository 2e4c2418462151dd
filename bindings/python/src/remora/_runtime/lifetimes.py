# SPDX-License-Identifier: Apache-2.0
#
# Handles of the library that end exactly once. They are what calls are given, and a call keeps its arguments: so no
# handle ends under a call. Ending without `close` is left to the client, because a finalizer must not wait.
"""Sources from their opening to their end."""

from __future__ import annotations

from _weakrefset import WeakSet  # `weakref` has it too, and takes longer to import.

from .._ffi import handles, reads
from .._ffi.calling import Handle
from ..errors import ClosedError, closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core import Core
    from .receivers import Receiver


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


class OpenSource:
    """The part of a source that lives and ends: its handle, the client that it keeps open, and its receivers."""

    __slots__ = ("__weakref__", "_client", "_core", "_description", "_first", "_handle", "_receivers")

    def __init__(self, client: object, core: Core, handle: Handle, first: Receiver | None) -> None:
        self._client = client
        self._core = core
        self._description = ""
        self._first = first
        self._handle = SourceHandle(core, handle)
        self._receivers: WeakSet[Receiver] = WeakSet()

    @property
    def closed(self) -> bool:
        """Whether the source or its client was closed."""
        return self._handle is CLOSED_SOURCE or self._core.is_closed

    def _using(self) -> SourceHandle:
        """The handle, for one call; raises ClosedError."""
        if self.closed:
            raise closed("source")
        return self._handle

    def _described(self) -> str:
        """Returns a space, the kind and the name of the source, for people; "" if it was closed before they were read."""
        if not self._description and not self.closed:
            from ..values import SourceKind  # Later: `enum` is slow to import.

            try:
                info = reads.source_info(self._handle)
            except ClosedError:
                return ""
            self._description = f" {SourceKind(info.kind).name.lower()} {info.name.decode()!r}"
        return self._description

    def _calling_back(self, receiver: Receiver) -> SourceHandle:
        """As `_using`, for a call that reports to a receiver, which is muted when the source is closed."""
        handle = self._using()
        self._core.start()
        self._receivers.add(receiver)
        return handle

    def _end(self) -> None:
        """Ends the source; a second time it does nothing. Waits for a callback of the source on another thread."""
        handle, self._handle = self._handle, CLOSED_SOURCE
        if self._first is not None:
            self._first.silence()
        handle.may_wait = True
        del handle  # Ends the library's source, unless another thread is inside a call of it.
        # At once, whoever still keeps the handle: an exception that somebody kept does, through its frames.
        for receiver in list(self._receivers):
            receiver.silence()
