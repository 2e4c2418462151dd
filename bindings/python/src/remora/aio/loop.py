# SPDX-License-Identifier: Apache-2.0
#
# An asyncio loop runs the callbacks of a client: the library's descriptor is one of its readers. A promise is settled in
# the loop, or from any thread when the library has released its receiver without calling it.
"""Callbacks in an event loop, and what is awaited of them."""

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
    """A call that is made by the loop, or when a loop is dropped that did not make it."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._functions = [function]

    def __call__(self) -> None:
        while self._functions:
            self._functions.pop()()

    __del__ = __call__


class LoopDispatching(Dispatching):
    """The loop that was running when this was created."""

    def __init__(self) -> None:
        loop = self._running()
        if loop is None:
            raise RuntimeError("a remora.aio.Client must be created inside a running event loop")
        self._loop = loop
        self._core: Callable[[], Core | None] = lambda: None
        self._descriptor: int | None = None

    def require_loop(self) -> asyncio.AbstractEventLoop:
        """The loop; RuntimeError in another one or in another thread."""
        running = self._running()
        if running is not self._loop:
            where = "outside a running event loop" if running is None else "in another event loop"
            raise RuntimeError(
                f"a remora.aio.Client belongs to the event loop that it was created in, and was used {where}"
            )
        return self._loop

    def require_waiting(self) -> None:
        """RuntimeError in the loop: it would stand still."""
        if self._running() is self._loop:
            raise RuntimeError(
                "this call waits: in the event loop use the attachment of source.record(id, snapshot), and await it"
            )

    def call_soon(self, function: Callable[[], object]) -> bool:
        """Calls a function in the loop, from any thread; false when the loop is closed."""
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:
            return False
        return True

    def start(self, core: Core) -> None:
        """Joins the loop at the first need."""
        loop = self.require_loop()
        if self._descriptor is None:
            with core.using() as handle:
                descriptor = handles.descriptor(handle)
            self._core = weakref.ref(core)
            loop.add_reader(descriptor, self._dispatch)
            self._descriptor = descriptor

    def wake(self) -> bool:
        core = self._core()
        return self._descriptor is not None and core is not None and self.call_soon(_Once(core.end_buried))

    def abandon(self) -> None:
        """The loop itself will close the client."""

    def stop(self) -> None:
        """Leaves the loop: at once, or as soon as possible if the loop runs on another thread."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None or self._loop.is_closed():
            return
        if self._loop.is_running() and self._running() is not self._loop:
            self.call_soon(lambda: self._loop.remove_reader(descriptor))
        else:
            self._loop.remove_reader(descriptor)

    def resume_child(self, core: Core) -> None:
        """The loop stays with the parent."""
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
    """A future that is settled once."""

    def __init__(self, dispatching: LoopDispatching) -> None:
        self._dispatching = dispatching
        self.future: asyncio.Future[T] = dispatching.require_loop().create_future()

    def settle(self, result: T) -> None:
        """Settles it, in the loop; later ones change nothing."""
        if not self.future.done():
            self.future.set_result(result)

    def settle_soon(self, result: T) -> None:
        """The same from any thread."""
        self._dispatching.call_soon(lambda: self.settle(result))

    async def wait(self, request: Request) -> None:
        """Waits until it is settled. Cancels the request if the task is cancelled."""
        try:
            await asyncio.wait({self.future})
        finally:
            request.cancel()  # Does nothing once it has ended.
