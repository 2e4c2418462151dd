# SPDX-License-Identifier: Apache-2.0
#
# An asyncio loop watches the library's descriptor, and runs the callbacks of a client. A promise is completed in the
# loop, or from any thread if the library has released a receiver without calling the receiver.
"""Callbacks in an event loop, and futures that they complete."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from .._ffi import handles
from .._runtime.core import Core, Dispatching
from ..errors import ClosedError

if TYPE_CHECKING:
    from .._runtime.receivers import Request

T = TypeVar("T")


class _Once:
    """Calls a function once: in the loop, or when a closed loop deletes its queue."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._functions = [function]

    def __call__(self) -> None:
        while self._functions:
            self._functions.pop()()

    __del__ = __call__


class LoopDispatching(Dispatching):
    """Runs the callbacks in the event loop in which this object was created."""

    def __init__(self) -> None:
        loop = self._running()
        if loop is None:
            raise RuntimeError("a remora.aio.Client must be created inside a running event loop")
        self._loop = loop
        self._core: Callable[[], Core | None] = lambda: None
        self._descriptor: int | None = None

    def require_loop(self) -> asyncio.AbstractEventLoop:
        """Returns the loop. Raises RuntimeError in another loop or thread."""
        running = self._running()
        if running is not self._loop:
            where = "outside a running event loop" if running is None else "in another event loop"
            raise RuntimeError(
                f"a remora.aio.Client belongs to the event loop that it was created in, and was used {where}"
            )
        return self._loop

    def require_waiting(self) -> None:
        """Raises RuntimeError in the loop, because a waiting call would block it."""
        if self._running() is self._loop:
            raise RuntimeError(
                "this call waits: in the event loop use the attachment of source.record(id, snapshot), and await it"
            )

    def call_soon(self, function: Callable[[], object]) -> bool:
        """Schedules a call in the loop, from any thread. Returns False if the loop is closed."""
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:
            return False
        return True

    def start(self, core: Core) -> None:
        """Adds the library's descriptor to the loop, unless it was added."""
        loop = self.require_loop()
        if self._descriptor is None:
            with core.using() as handle:
                descriptor = handles.descriptor(handle)
            self._core = weakref.ref(core)
            loop.add_reader(descriptor, self._dispatch)
            self._descriptor = descriptor

    def wake(self) -> bool:
        """Lets the loop close objects that the garbage collector has found. Returns False if the loop cannot."""
        core = self._core()
        return self._descriptor is not None and core is not None and self.call_soon(_Once(core.end_buried))

    def abandon(self) -> None:
        """Does nothing: the loop closes the client."""

    def stop(self) -> None:
        """Removes the descriptor from the loop: at once, or as soon as possible if the loop runs on another thread."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None or self._loop.is_closed():
            return
        if self._loop.is_running() and self._running() is not self._loop:
            self.call_soon(lambda: self._loop.remove_reader(descriptor))
        else:
            self._loop.remove_reader(descriptor)

    def resume_child(self, core: Core) -> None:
        """Forgets the descriptor: the loop runs only in the parent."""
        self._descriptor = None

    @staticmethod
    def _running() -> asyncio.AbstractEventLoop | None:
        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            return None

    def _dispatch(self) -> None:
        core = self._core()
        if core is not None:
            with contextlib.suppress(ClosedError):
                core.dispatch()


class Promise(Generic[T]):
    """A future that is completed once."""

    def __init__(self, dispatching: LoopDispatching) -> None:
        self._dispatching = dispatching
        self.future: asyncio.Future[T] = dispatching.require_loop().create_future()

    def settle(self, result: T) -> None:
        """Completes the future with a result, in the loop. Later calls do nothing."""
        if not self.future.done():
            self.future.set_result(result)

    def settle_soon(self, result: T) -> None:
        """Completes the future with a result, from any thread."""
        self._dispatching.call_soon(lambda: self.settle(result))

    async def wait(self, request: Request) -> None:
        """Waits for the future. Cancels the request if the task is cancelled."""
        try:
            await asyncio.wait({self.future})
        finally:
            request.cancel()  # Does nothing if the request has ended.
