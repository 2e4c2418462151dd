# SPDX-License-Identifier: Apache-2.0
"""Sources of the synchronous API."""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.


from ._ffi import handles
from ._runtime.arguments import named_options, text, waiting_ms
from ._runtime.content import Content
from ._runtime.option_fields import manner, takes
from ._runtime.options import AttachmentOptions, RefreshOptions
from .errors import Error, InvalidArgumentError
from .events import EventSource
from .snapshot import Snapshot, handle_of, required_handle_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import Unpack

    from ._source.explanations import Explanation
    from .attachments import OpenAttachment
    from .overrides import Overrides
    from .records import CollectionRecord
    from .values import Outcome


class Source(EventSource):
    """An open collection or bundle: a mapping from keys to values that are refreshed together.

    Every method may be called in every thread and inside a callback. For reading, see the base class `Reads`.
    """

    __slots__ = ()

    def record(self, id: str) -> CollectionRecord:
        """Returns a record of the live snapshot (the current data) as an object. Raises NotFoundError, ClosedError."""
        return self.snapshot().record(id)

    def records(self) -> Iterator[CollectionRecord]:
        """Returns the records of the live snapshot, sorted by id. Raises ClosedError."""
        return self.snapshot().records()

    @takes(AttachmentOptions)
    def open_attachment(
        self, location: str, timeout: float | None = None, **options: Unpack[AttachmentOptions]
    ) -> OpenAttachment:
        """Opens the attachment whose record has this `location`, even if filters hide the record.

        The options are those of `Attachment.open`. Raises NotFoundError if no record of the live snapshot has the
        location, and the errors of `Attachment.open`.
        """
        from .attachments import at_location, open_and_wait

        return open_and_wait(self, at_location(location, options), timeout)

    @takes(RefreshOptions)
    def refresh(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> Outcome:
        """Requests newer data from the server, waits until it is live or staged, and returns the outcome.

        Use `wait` if the program can go on with old data, and `prefetch` to refresh in the background.

        - timeout: the caller's own limit in seconds. None: only the limits of the client apply. 0: sends no request and
          raises TimeoutError.
        - others: see `RefreshOptions`.

        Returns UPDATED, UNCHANGED, NOT_NEWER or STAGED; NONE if `only_if_empty` made a request unnecessary. Raises an
        `Error` if the refresh fails: network, document, trust, freshness or storage errors, see docs/errors.md. The
        last good data stays live and stored.

        Blocks the calling thread, while other threads can run. Ctrl-C takes effect when the call returns.
        """
        from .values import Outcome  # Later: `enum` is slow to import.

        return Outcome(handles.refresh(self._using(), manner(options), waiting_ms(timeout)))

    @takes(RefreshOptions)
    def wait(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> Snapshot:
        """Waits for fresh data, and returns the live snapshot, which has the old data if no fresh data arrives.

        Use it if the program can go on with old values. Sends no request while the data is fresh: settings are fresh
        until their `ttl` ends; collections and bundles are never fresh.

        - timeout: the caller's own limit in seconds. None: only the limits of the client apply. 0: sends no request.
        - others: see `RefreshOptions`.

        A failure raises no exception: check `error` of the snapshot, which is None if no refresh was needed, or if it
        succeeded, and otherwise the reason, such as TimeoutError. If the client or the source is closed meanwhile,
        returns the snapshot that was live at the call. Raises only ClosedError, if the source is closed already, and
        InvalidArgumentError for invalid options or a bundle without a URL.

        Blocks the calling thread, while other threads can run. Ctrl-C takes effect when the call returns.
        """
        how, limit, live = manner(options), waiting_ms(timeout), self.snapshot()
        try:
            return Snapshot(Content(handles.wait(self._using(), how, limit), ref(self)))
        except InvalidArgumentError:
            raise
        except Error as error:
            try:
                live = self.snapshot()
            except Error:  # Closed meanwhile, or out of memory.
                pass
            return live._because(error)

    @property
    def overrides(self) -> Overrides:
        """The overrides of the source: values of the program that take precedence over fetched values.

        See `Overrides`.
        """
        from .overrides import Overrides  # Later: most programs do not use it.

        return Overrides(self._using)

    @named_options
    def explain(self, key: str, pointer: str = "") -> Explanation:
        """Explains from which layer reads return the value of a key, or its part at a JSON Pointer.

            print(settings.explain("limits", "/max_uploads"))

        Lists each layer that has this value or hides it, such as overrides, fetched data or packaged data. Also works
        for a key that does not exist. Use it on debug pages and in logs, but note that it shows values.

        Raises InvalidArgumentError for a malformed pointer, TypeError or ValueError for a wrong argument, ClosedError,
        or TooLargeError. Blocks for file system calls.
        """
        from ._source.explanations import explain  # Later: most programs do not use it.

        return explain(self._using(), text("key", key), text("pointer", pointer))

    def activate(self, snapshot: Snapshot | None = None) -> Outcome:
        """Makes the staged version live, in this process and for every client that opens the source from now on.

        Pass the staged snapshot that the program has checked, such as `event.staged`. If another version has replaced
        it, the call raises NotFoundError, and nothing changes. Without a snapshot, any staged version becomes live.

        Returns UPDATED, or UNCHANGED if the snapshot is already live or nothing is staged. Subscribers receive an event
        with cause ACTIVATED. Raises NotFoundError or ClosedError. Blocks for milliseconds: waits for the running job of
        the thread `remora-engine`, and for file system calls.
        """
        from .values import Outcome

        return Outcome(handles.activate(self._using(), handle_of(snapshot)))

    @named_options
    def reject(self, snapshot: Snapshot, reason: str | None = None) -> None:
        """Rejects the live or the staged version, because the program found that it cannot work with it.

            if not is_usable(snapshot := source.snapshot()):
                source.reject(snapshot, "the pool has no server")

        Pass the snapshot that the program has checked. A rejected live version is replaced at once by the newest stored
        version that was live before it, or by packaged or default data. Subscribers receive an event with cause
        REJECTED, in other processes within about a second. A refresh raises RejectedError until the server has another
        version, even after a restart or with `force`. Only the newest rejected version is remembered, until `reset`.

        - reason: written to the log. None: no reason.

        Does nothing if another process has rejected the version already. Raises NotFoundError if the snapshot is
        neither live nor staged any more, or has no fetched data; InvalidArgumentError for a snapshot of another source;
        ClosedError. Blocks: waits for the running job of the thread `remora-engine`, for file system calls, and at most
        5 s while another client or process has locked the files. If the files stay locked, the rejection is stored
        later, while the client is open.
        """
        handles.reject(self._using(), required_handle_of(snapshot), text("reason", reason))

    def freeze(self) -> None:
        """Keeps the live snapshot until the client is closed. Data that is fetched later is staged for a later client.

        Use it to read the same values for the rest of a program's run. Subscribers of the source receive no more
        events. Raises ClosedError. Blocks for milliseconds: waits for the running job of the thread `remora-engine`,
        and for a callback of the source that is running on another thread.
        """
        handles.freeze(self._using())

    def reset(self) -> None:
        """Removes all fetched data: stored and staged versions, a seed, the highest accepted version, the last error.

        Use it to recover after a server has signed a wrong timestamp. The packaged data or the default bundle becomes
        live again, and the next refresh fetches everything. Overrides stay. A running refresh raises CancelledError.

        Waits for earlier jobs of the thread `remora-engine`, for file system calls, and at most 5 s for another client
        or process that has locked the source's files, such as for a refresh. Raises ClosedError or UnavailableError.
        If nothing could be removed, raises StorageError or PermissionError: then only a running refresh was cancelled.
        If the reset took effect, but a file could not be removed, raises nothing: see `storage_error` of `SourceInfo`.
        """
        handles.reset(self._using())
