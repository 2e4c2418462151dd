# SPDX-License-Identifier: Apache-2.0
#
# The opening that waits, and tells its progress on the thread that waits. Where signals arrive, in the main thread, the
# library is called on a thread beside it: what a signal raises inside of a callback of the library's would be lost.
"""Waiting for attachments."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from ._arguments import waiting_ms
from ._ffi import attachments
from ._ffi.registry import register
from ._open_attachment import OpenAttachment
from ._receivers import report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger
    from typing import Any, Union

    from ._ffi.attachments import AttachmentHandle
    from ._opening import Opening
    from ._source_base import SourceBase

    Tell = Callable[[int, int], object]
    Open = Callable[[Tell], AttachmentHandle]


def open_and_wait(source: SourceBase, opening: Opening, timeout: float | None) -> OpenAttachment:
    """Opens an attachment and waits for it."""
    limit, handle = waiting_ms(timeout), source._using()
    source._core.dispatching.require_waiting()
    if opening.progress is None:
        return OpenAttachment(attachments.open_waiting(handle, opening.fields, limit, None))

    def open_telling(tell: Tell) -> AttachmentHandle:
        told = _Told(tell)
        return attachments.open_waiting(handle, opening.fields, limit, lambda: register(lambda: told))

    listener = _Listener(opening.progress, source._core.logger)
    is_main = threading.current_thread() is threading.main_thread()
    try:
        return OpenAttachment(_open_beside(open_telling, listener) if is_main else open_telling(listener.tell))
    finally:
        listener.raise_interruption()


class _Told:
    """Receives the progress."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def receive(self, *told: Any) -> None:
        """Passes it on."""
        self._tell(*told)

    def end(self) -> None:
        """Nothing is kept."""


class _Listener:
    """A user's callback, and what it raised for whoever waits."""

    def __init__(self, callback: Tell, logger: Logger | None) -> None:
        self._callback = callback
        self._logger = logger
        self._interruptions: list[BaseException] = []

    def tell(self, received: int, total: int) -> None:
        """Calls the callback, as long as nothing like Ctrl-C has come."""
        if self._interruptions:
            return
        try:
            self._callback(received, total)
        except Exception as error:
            report(error, self._callback, self._logger)
        except BaseException as error:
            self.interrupt(error)

    def interrupt(self, error: BaseException) -> None:
        """Keeps an exception until the wait is over."""
        self._interruptions.append(error)

    def raise_interruption(self) -> None:
        """Raises the first one."""
        if self._interruptions:
            raise self._interruptions.pop(0)


def _open_beside(open_telling: Open, listener: _Listener) -> AttachmentHandle:
    """Opens on another thread, and tells the progress on this one."""
    told: SimpleQueue[tuple[int, int] | None] = SimpleQueue()
    ends: list[Union[AttachmentHandle, BaseException]] = []

    def run() -> None:
        try:
            ends.append(open_telling(lambda *progress: told.put(progress)))
        except BaseException as error:
            ends.append(error)
        told.put(None)

    thread = threading.Thread(target=run, name="remora-attachment", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # No thread, or the interpreter is ending.
        return open_telling(listener.tell)
    # What a signal raises may come between any two steps.
    while not ends or not told.empty():
        try:
            if (progress := told.get()) is not None:
                listener.tell(*progress)
        except BaseException as error:
            listener.interrupt(error)
    end = ends.pop()
    if isinstance(end, BaseException):
        try:
            raise end
        finally:
            del end  # It has this frame in its traceback.
    return end
