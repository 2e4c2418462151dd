# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and asynchronous refreshes, as users hold them."""

from __future__ import annotations

from ._ffi import handles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from ._ffi.calling import Handle
    from ._handle import SubscriptionHandle
    from ._reads import Reads
    from ._receivers import Receiver


class Subscription:
    """A callback that is told of events until `close`, the end of a `with` block, or the last reference to this object.

    Keep it as long as the callback is to be called. It keeps its source and client open.
    """

    __slots__ = ("__weakref__", "_handle", "_receiver", "_source")

    def __init__(self, source: Reads, receiver: Receiver, handle: SubscriptionHandle) -> None:
        self._source = source
        self._receiver = receiver
        self._handle = handle

    def close(self) -> None:
        """Ends the subscription; a second time it does nothing.

        When it returns the callback is not running and will not run again, except when called inside a callback: then
        it does not wait.
        """
        self._receiver.silence()
        self._handle.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self._receiver.silence()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Subscription cannot be pickled or copied")


class Request:
    """One asynchronous refresh, wait, sync or opening. Dropping it does not cancel: the callback still comes."""

    __slots__ = ("__weakref__", "_handle")

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def cancel(self) -> None:
        """Gives up interest: the callback gets CancelledError, unless it has ended already."""
        handles.cancel(self._handle)

    def __del__(self) -> None:
        handles.release_request(self._handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Request cannot be pickled or copied")
