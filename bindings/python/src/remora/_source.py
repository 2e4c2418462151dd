# SPDX-License-Identifier: Apache-2.0
"""Sources for programs that wait."""

from __future__ import annotations

import weakref

from ._arguments import text, waiting_ms
from ._content import Content
from ._enums import Outcome
from ._ffi import handles
from ._ffi.registry import register
from ._handle import SubscriptionHandle
from ._reads import Reads
from ._receivers import EventReceiver, RefreshReceiver, checked_callback
from ._snapshot import Snapshot
from ._subscription import Request, Subscription
from .errors import closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._core import Core
    from ._events import Event
    from ._ffi.calling import Handle
    from ._receivers import Receiver
    from .errors import Error


class Source(Reads):
    """A set of settings that arrives together and is refreshed together, of any kind.

    Every method may be called in every thread and inside a callback. See `Reads` for reading.
    """

    __slots__ = ("_client",)

    def __init__(self, client: object, core: Core, handle: Handle, receiver: Receiver | None) -> None:
        super().__init__(core, handle, receiver)
        self._client = client  # Open as long as its sources are.

    def refresh(self, timeout: float | None = None) -> Outcome:
        """Asks the server for newer settings and waits until they are live.

        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing and
        raises TimeoutError. Gives UPDATED, UNCHANGED or NOT_NEWER. Raises what went wrong; the last good data stays
        live and stored. Other threads run meanwhile; Ctrl-C takes effect when it returns.
        """
        return Outcome(handles.refresh(self._using(), waiting_ms(timeout)))

    def refresh_async(self, callback: Callable[[Outcome, Error | None], object], force: bool = False) -> Request:
        """As `refresh`, without waiting: the callback is told the outcome, and the error or None.

        It comes where the client's callbacks run, after the events of the same refresh; not at all when client or
        source are closed before. `force` ignores the server's backoff. Raises ClosedError or UnavailableError.
        """
        receiver = RefreshReceiver(self._core, checked_callback(callback))
        source = self._using()
        self._core.start()
        return Request(handles.refresh_async(source, bool(force), register(lambda: receiver)))

    def wait(self, timeout: float | None = None, only_if_empty: bool = False) -> Snapshot:
        """Waits for a fresh snapshot: the refreshed one if it comes within `timeout` seconds, else the one before.

        `error` of the snapshot tells why it is the one before; None says that it is fresh, or was not asked to be. 0
        gives the live snapshot at once. With `only_if_empty` no request is sent when the source has data, packaged or
        fetched. Raises only when there is no snapshot to give: ClosedError.
        """
        snapshot, error = handles.wait(self._using(), bool(only_if_empty), waiting_ms(timeout))
        if snapshot is None:
            raise error or closed("source")
        return Snapshot(Content(snapshot), error)

    def reset(self) -> None:
        """Forgets everything fetched; the packaged data is live again.

        Waits for file system calls, and while another process refreshes this source (at most 5 s). Raises ClosedError,
        StorageError, PermissionError or UnavailableError.
        """
        handles.reset(self._using())

    def subscribe(
        self, callback: Callable[[Event], object], key: str | None = None, replay: bool = False
    ) -> Subscription:
        """Tells a callback of every event of this source, or of the changes of one key.

        It is called as long as the subscription is kept. With `replay` the first event is the current state. A source's
        subscriber is told the outcome of every refresh; a key's when the value of that key changed. Updates that come
        while a callback is busy merge into one. An exception that it raises goes to the client's logger, or to
        `sys.unraisablehook`, and the subscription goes on. Raises ClosedError or UnavailableError.
        """
        receiver = EventReceiver(self._core, checked_callback(callback))
        source, key_text = self._using(), text("key", key)
        self._core.start()
        handle = handles.subscribe(source, key_text, bool(replay), register(weakref.ref(receiver)))
        return Subscription(self, receiver, SubscriptionHandle(self._core, handle))
