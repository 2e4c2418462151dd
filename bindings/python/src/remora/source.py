# SPDX-License-Identifier: Apache-2.0
"""Sources of programs that wait."""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.


from ._ffi import handles
from ._runtime.arguments import expected_ms, named_options, waiting_ms
from ._runtime.content import Content
from .errors import closed
from .events import EventSource
from .snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .attachments import OpenAttachment, Progress
    from .overrides import Overrides
    from .records import CollectionRecord
    from .values import Outcome


class Source(EventSource):
    """A set of settings that arrives together and is refreshed together, of any kind.

    Every method may be called in every thread and inside a callback. It reads as a mapping, see `Reads`.
    """

    __slots__ = ()

    def record(self, id: str) -> CollectionRecord:
        """Returns a record of the live snapshot, as an object. Raises NotFoundError, ClosedError."""
        return self.snapshot().record(id)

    def records(self) -> Iterator[CollectionRecord]:
        """Returns the records of the live snapshot, in order of ids; later changes do not show. Raises ClosedError."""
        return self.snapshot().records()

    @named_options
    def open_attachment(
        self,
        location: str,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> OpenAttachment:
        """Opens the attachment that a record has at a location, even if filters hide the record.

        The options are those of `Attachment.open`. Raises NotFoundError if no record of the live snapshot names the
        location; otherwise as `Attachment.open`.
        """
        from .attachments import at_location, open_and_wait

        return open_and_wait(self, at_location(location, progress, max_bytes, local), timeout)

    @named_options
    def refresh(
        self, timeout: float | None = None, *, force: bool = False, expected_version: int | None = None
    ) -> Outcome:
        """Requests newer data from the server, waits until it is live, and returns the outcome.

        - timeout: the caller's own limit in seconds. None leaves it to the limits of the client, 0 starts nothing and
          raises TimeoutError.
        - force: ignores the server's backoff and shares no request.
        - expected_version: for a collection, the timestamp of a push message, in milliseconds since 1970: no cache
          answers with older data then.

        Returns UPDATED, UNCHANGED, NOT_NEWER or STAGED. Raises an `Error` if the refresh fails: network, document,
        trust, freshness or storage errors, see docs/errors.md. The last good data stays live and stored. Other threads
        run meanwhile; Ctrl-C takes effect when the call returns.
        """
        how = handles.manner(force=int(bool(force)), expected_version=expected_ms(expected_version))
        from .values import Outcome  # Later: `enum` is slow to import.

        return Outcome(handles.refresh(self._using(), how, waiting_ms(timeout)))

    @named_options
    def wait(self, timeout: float | None = None, *, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot: returns the refreshed one if it arrives in time, else the one from before.

        - timeout: the caller's own limit in seconds. None leaves it to the limits of the client, 0 returns the live
          snapshot.
        - only_if_empty: sends a request only if the source has no data, packaged or fetched.

        `error` of the snapshot is the reason that it is the one from before; it is None if the snapshot is fresh, or no
        request was necessary, as for settings that are still fresh (`ttl`). Raises only if no snapshot can be returned:
        ClosedError.
        """
        snapshot, error = handles.wait(self._using(), bool(only_if_empty), waiting_ms(timeout))
        if snapshot is None:
            raise error or closed("source")
        return Snapshot(Content(snapshot, ref(self)), error)

    @property
    def overrides(self) -> Overrides:
        """Values of the program's own, which win over fetched values until they are cleared; see `Overrides`."""
        from .overrides import Overrides  # Later: most programs do not use it.

        return Overrides(self._using)

    def activate(self) -> Outcome:
        """Makes the staged data live: in this process at once, and for every client that opens the source from now on.

        Returns UPDATED, or UNCHANGED if nothing was staged. Subscribers receive an event of cause ACTIVATED. Waits for
        the running job of the engine thread, and for file system calls: milliseconds. Raises ClosedError.
        """
        from .values import Outcome

        return Outcome(handles.activate(self._using()))

    def stop_listening(self) -> None:
        """Keeps the live snapshot for the rest of the client's life; fetched data becomes live for a later client.

        Mutes all subscribers of the source. Waits for the running job of the engine thread, and for a callback of
        theirs that is running on another thread. Raises ClosedError.
        """
        handles.stop_listening(self._using())

    def reset(self) -> None:
        """Removes all fetched data: images, including a staged one, a seed, highest accepted version, last error.

        The packaged data or the default bundle is live again; the next refresh fetches the whole collection. Overrides
        stay. A refresh that is running raises CancelledError. Use this to recover after a server signed a wrong
        timestamp.

        Waits for earlier jobs of the engine thread, for file system calls, and at most 5 s for another client or
        process that holds the source's files, such as for a refresh. Raises ClosedError or UnavailableError;
        StorageError or PermissionError if nothing was removed, and only a running refresh was cancelled. A failure
        after the reset is stored, such as to remove an image, raises nothing: `info` has it as `storage_error`.
        """
        handles.reset(self._using())
