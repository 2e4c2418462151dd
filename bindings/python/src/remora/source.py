# SPDX-License-Identifier: Apache-2.0
"""Sources for programs that wait."""

from __future__ import annotations

from weakref import ref

from ._ffi import handles
from ._runtime.arguments import expected_ms, waiting_ms
from ._runtime.content import Content
from .errors import closed
from .events import EventSource
from .overrides import Overrides
from .snapshot import Snapshot
from .values import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Unpack

    from .attachments import OpenAttachment, OpeningOptions
    from .records import CollectionRecord


class Source(EventSource):
    """A set of settings that arrives together and is refreshed together, of any kind.

    Every method may be called in every thread and inside a callback. It reads as a mapping, see `Reads`.
    """

    __slots__ = ()

    def record(self, id: str) -> CollectionRecord:
        """A record of the live snapshot, as an object. Raises NotFoundError, ClosedError."""
        return self.snapshot().record(id)

    def records(self) -> Iterator[CollectionRecord]:
        """The records of the live snapshot, in order of their ids; later changes do not show. Raises ClosedError."""
        return self.snapshot().records()

    def open_attachment(
        self, location: str, timeout: float | None = None, **options: Unpack[OpeningOptions]
    ) -> OpenAttachment:
        """Opens the attachment that a record has at a location, also a record that filters hide.

        As `Attachment.open` otherwise. Raises NotFoundError where no record of the live snapshot names the location.
        """
        from .attachments import at_location, open_and_wait

        return open_and_wait(self, at_location(location, options), timeout)

    def refresh(
        self, timeout: float | None = None, *, force: bool = False, expected_version: int | None = None
    ) -> Outcome:
        """Asks the server for newer settings and waits until they are live.

        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing and
        raises TimeoutError. Gives UPDATED, UNCHANGED, NOT_NEWER or STAGED. Raises what went wrong; the last good data stays
        live and stored. Other threads run meanwhile; Ctrl-C takes effect when it returns.

        `force` ignores the server's backoff and shares no request. `expected_version`, for a collection, is the timestamp
        of a push message, in milliseconds since 1970: no cache answers with older data then.
        """
        how = handles.manner(force=int(bool(force)), expected_version=expected_ms(expected_version))
        return Outcome(handles.refresh(self._using(), how, waiting_ms(timeout)))

    def wait(self, timeout: float | None = None, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot: the refreshed one if it comes within `timeout` seconds, else the one before.

        `error` of the snapshot tells why it is the one before; None says that it is fresh, or was not asked to be. 0
        gives the live snapshot at once. No request is sent for settings that are still fresh (`ttl`), nor with
        `only_if_empty` when the source has data, packaged or fetched. Raises only when there is no snapshot to give: ClosedError.
        """
        snapshot, error = handles.wait(self._using(), bool(only_if_empty), waiting_ms(timeout))
        if snapshot is None:
            raise error or closed("source")
        return Snapshot(Content(snapshot, ref(self)), error)

    @property
    def overrides(self) -> Overrides:
        """Values of the program's own, which win over what is fetched until they are cleared; see `Overrides`."""
        return Overrides(self._using)

    def activate(self) -> Outcome:
        """Makes live what is staged: in this process at once, and for every client that opens the source from now on.

        Gives UPDATED, or UNCHANGED when nothing was staged. Subscribers are told by an event of cause ACTIVATED. Waits for
        the job of the engine thread that is running, and for file system calls: milliseconds. Raises ClosedError.
        """
        return Outcome(handles.activate(self._using()))

    def stop_listening(self) -> None:
        """Leaves what is live as it is for the rest of the client's life; what is fetched is live for a later client.

        No subscriber of the source is told of anything any more. Waits for the job of the engine thread that is running,
        and for a callback of theirs that is running on another thread. Raises ClosedError.
        """
        handles.stop_listening(self._using())

    def reset(self) -> None:
        """Forgets everything fetched: images, also a staged one, a seed, highest accepted version, last error.

        The packaged data or the default bundle is live again; the next refresh fetches the whole collection. Overrides
        stay. A refresh under way raises CancelledError. Use this to recover after a server signed a wrong timestamp.

        Waits for the jobs of the engine thread that come first, for file system calls, and at most 5 s for another
        client or process that keeps the source's files, such as for a refresh. Raises ClosedError or UnavailableError;
        StorageError or PermissionError when nothing was forgotten, and only a refresh under way has ended. A failure
        after the reset is stored, such as to remove an image, raises nothing: `info` has it as `storage_error`.
        """
        handles.reset(self._using())
