# SPDX-License-Identifier: Apache-2.0
"""Handles of the library that are closed exactly once. A call keeps its arguments, so no handle is closed during a
call. A source that is deleted without `close` is closed by the client, because a finalizer must not wait.
"""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.

from .._ffi import handles, reads
from .._ffi.calling import Handle
from ..errors import ClosedError, closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .core import Core
    from .receivers import Receiver


class SourceHandle(Handle):
    """A handle of a source, closed with its last reference."""

    __slots__ = ("_core", "argument", "may_wait")

    def __init__(self, core: Core | None, handle: Handle) -> None:
        super().__init__(handle.value)
        self._core = core
        self.argument = reads.argument(self)
        """The handle as an argument of `unchecked` functions."""
        self.may_wait = False
        """Whether closing may wait for a callback: True in `close`, False when the last reference is deleted."""

    def __del__(self) -> None:
        if self._core is None:
            return
        if self.may_wait:
            handles.close_source(self)
        else:
            # A copy, so that the deferred call does not keep this object.
            handle = Handle(self.value)
            self._core.bury(lambda: handles.close_source(handle))


CLOSED_SOURCE = SourceHandle(None, Handle())
"""The handle of a closed source, NULL, for which the library returns defaults."""


class OpenSource:
    """The handle of a source, the client that it keeps open, and its receivers."""

    __slots__ = ("__weakref__", "_client", "_core", "_description", "_first", "_handle", "_receivers")

    def __init__(self, client: object, core: Core, handle: Handle, first: Receiver | None) -> None:
        self._client = client
        self._core = core
        self._description = ""
        self._first = first
        self._handle = SourceHandle(core, handle)
        self._receivers: set[ref[Receiver]] = set()

    @property
    def closed(self) -> bool:
        """Whether the source or its client was closed."""
        return self._handle is CLOSED_SOURCE or self._core.is_closed

    def _using(self) -> SourceHandle:
        """Returns the handle for one call. Raises ClosedError."""
        if self.closed:
            raise closed("source")
        return self._handle

    def _described(self) -> str:
        """Returns a space, the kind and the name of the source; "" if the source was closed before they were read."""
        if not self._description and not self.closed:
            from ..values import SourceKind  # Later: `enum` is slow to import.

            try:
                info = reads.source_info(self._handle)
            except ClosedError:
                return ""
            self._description = f" {SourceKind(info.kind).name.lower()} {info.name.decode()!r}"
        return self._description

    def _calling_back(self, receiver: Receiver) -> SourceHandle:
        """Returns the handle for a call with a receiver. Closing the source mutes the receiver. Raises ClosedError."""
        handle = self._using()
        self._core.start()
        self._receivers.add(ref(receiver, self._receivers.discard))
        return handle

    def _end(self) -> None:
        """Closes the source. A second call does nothing. Waits for a callback of the source on another thread."""
        handle, self._handle = self._handle, CLOSED_SOURCE
        if self._first is not None:
            self._first.silence()
        handle.may_wait = True
        del handle  # Closes the library's source, unless another thread is inside a call.
        # Muted at once, because something may still keep the handle, such as the frames of a stored exception.
        for find in list(self._receivers):
            if receiver := find():
                receiver.silence()
