# SPDX-License-Identifier: Apache-2.0
"""The operations of a source that run in the background and report their result to a callback, for both clients. The
asyncio client awaits them through the methods `_request_refresh` and `_request_wait`.
"""

from __future__ import annotations

from _weakref import ref  # `weakref` has it too, and takes longer to import.

from .._ffi import reads
from .._ffi.calling import Handle, error_at
from .._runtime.arguments import waiting_ms
from .._runtime.content import Content
from .._runtime.option_fields import manner, takes
from .._runtime.options import AttachmentOptions, RefreshOptions
from .._runtime.receivers import Receiver, Request, checked_callback
from ..errors import Error
from ..snapshot import Snapshot
from .reads import Reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Unpack

    from ..attachments import OpenAttachment
    from ..values import Outcome


class BackgroundCalls(Reads):
    """The calls of a source that return a `Request` at once."""

    __slots__ = ()

    @takes(RefreshOptions)
    def refresh_async(
        self,
        callback: Callable[[Outcome, Error | None], object] | None = None,
        timeout: float | None = None,
        **options: Unpack[RefreshOptions],
    ) -> Request:
        """Starts a refresh in the background. The callback receives the outcome, and the error or None.

        The timeout and the options are those of `refresh`. The callback is called on the thread of the client's
        callbacks, after the events of the same refresh. It is not called if the client or the source is closed first.
        Without a callback, only subscribers are notified. Keep a reference to the source: otherwise the refresh is
        cancelled. Raises ClosedError or UnavailableError.
        """
        self._require_caller()
        how = manner(options)
        if callback is None:
            from .._ffi import notifying  # Later: programs that only read do without it.

            return Request(notifying.refresh_async(self._using(), how, waiting_ms(timeout), None))
        return self._request_refresh(checked_callback(callback), how, waiting_ms(timeout))

    def _request_refresh(
        self, callback: Callable[..., object], how: Any, limit: int, at_end: Callable[[], object] | None = None
    ) -> Request:
        from .._ffi import notifying
        from ..values import Outcome

        def read(_: int, outcome: int, error: Any) -> tuple[Outcome, Error | None]:
            return Outcome(outcome), error_at(error)

        receiver = Receiver(self._core, callback, read, at_end)
        source = self._calling_back(receiver)
        return Request(notifying.refresh_async(source, how, limit, lambda: receiver))

    @takes(RefreshOptions)
    def wait_async(
        self, callback: Callable[[Snapshot], object], timeout: float | None = None, **options: Unpack[RefreshOptions]
    ) -> Request:
        """Waits for fresh data in the background. The callback receives the live snapshot, as `wait` returns it.

        The timeout and the options are those of `wait`. The callback is called on the thread of the client's callbacks,
        after the events of the same refresh. If the request is cancelled, `error` of the snapshot is CancelledError.
        But if the client or the source is closed first, the callback is not called. Raises ClosedError or
        UnavailableError.
        """
        return self._request_wait(checked_callback(callback), waiting_ms(timeout), manner(options))

    def _request_wait(
        self, callback: Callable[..., object], limit: int, how: Any, at_end: Callable[[], object] | None = None
    ) -> Request:
        from .._ffi import notifying

        itself, before = ref(self), self.snapshot()

        def read(address: int | None, error: Any, source: int) -> tuple[Snapshot]:
            if address:
                return (Snapshot(Content(reads.retain(address), itself)),)
            try:
                content = Content(reads.acquire(Handle(source)), itself)
            except Error:  # Closed meanwhile, or out of memory.
                content = before._content
            return (Snapshot(content, error_at(error)),)

        receiver = Receiver(self._core, callback, read, at_end)
        source = self._calling_back(receiver)
        return Request(notifying.wait_async(source, how, limit, lambda: receiver))

    def prefetch(self) -> None:
        """Starts a refresh in the background, so that later waits and reads find fresh data.

        Only subscribers are notified of the outcome. Keep a reference to the source: otherwise the refresh is
        cancelled. Raises ClosedError or UnavailableError.
        """
        from .._ffi import notifying

        self._require_caller()
        notifying.prefetch(self._using())

    @takes(AttachmentOptions)
    def open_attachment_async(
        self,
        location: str,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        **options: Unpack[AttachmentOptions],
    ) -> Request:
        """Opens an attachment in the background, as `open_attachment`. See `Attachment.open_async`."""
        from ..attachments import OpeningReceiver, at_location, open_async

        opening = at_location(location, options)
        receiver = OpeningReceiver(self._core, checked_callback(callback), opening)
        return open_async(self, opening, receiver, timeout)

    def _require_caller(self) -> None:
        """Raises RuntimeError in a thread or event loop that must not use the source."""
