# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and their handles. Imported at the first subscription."""

from __future__ import annotations

import warnings

from .._ffi import handles
from .data import public_name
from .process import exiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .._ffi.calling import Handle
    from .core import Core
    from .lifetimes import OpenSource
    from .receivers import Receiver


class SubscriptionHandle:
    """A handle of a subscription, released by `close` or with its last reference."""

    __slots__ = ("_core", "_handles")

    def __init__(self, core: Core, handle: Handle) -> None:
        self._core = core
        self._handles = [handle]

    @property
    def closed(self) -> bool:
        return not self._handles

    def close(self) -> None:
        """Unregisters the callback, and waits for it if it is running on another thread."""
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


class Subscription:
    """A registered callback, until `close`, the end of a `with` block, or the last reference to this object.

    Keep a reference as long as the callback is to be called. A subscription keeps its source and client open. If the
    last reference to an open subscription is deleted, Python issues a ResourceWarning, which it shows with `-X dev` or
    `-W default`.
    """

    __slots__ = ("__weakref__", "_handle", "_key", "_receiver", "_source", "_warns")

    def __init__(
        self, source: OpenSource, core: Core, receiver: Receiver, handle: Handle, key: str | None = None
    ) -> None:
        self._source = source
        self._key = key
        self._receiver = receiver
        self._handle = SubscriptionHandle(core, handle)
        self._warns = True

    def _without_warning(self) -> Subscription:
        """Returns this object, without a ResourceWarning when its last reference is deleted."""
        self._warns = False
        return self

    def close(self) -> None:
        """Ends the subscription. A second call does nothing.

        When `close` returns, the callback has ended and is not called any more. Inside a callback, it does not wait.
        """
        self._receiver.silence()
        self._handle.close()

    @property
    def closed(self) -> bool:
        """Whether the subscription or its source was closed."""
        return self._handle.closed or self._source.closed

    def __repr__(self) -> str:
        state = "closed" if self.closed else "open"
        return f"<{public_name(self)}{self._source._described()} key={self._key!r} {state}>"

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self._receiver.silence()
        if self._warns and not self.closed and not exiting.has_begun:
            message = f"unclosed {self!r} was deleted: keep a reference to it while you need its callback, or close it"
            # Level 2 is the line that deleted the last reference. The argument `source` would keep this object.
            warnings.warn(message, ResourceWarning, stacklevel=2)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Subscription cannot be pickled or copied")
