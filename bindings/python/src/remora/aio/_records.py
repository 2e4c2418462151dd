# SPDX-License-Identifier: Apache-2.0
#
# Records whose attachments are awaited. The opening is the library's asynchronous one, and its end comes in the loop.
"""Records and attachments for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._arguments import waiting_ms
from .._attachment import AttachmentBase
from .._collection_record import RecordBase
from .._opening import OpeningReceiver, open_async
from .._opening_waits import open_and_wait
from ..errors import closed, timed_out
from ._promise import Promise

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._content import Content
    from .._core import Core
    from .._open_attachment import OpenAttachment
    from .._opening import Opening, OpeningOptions
    from .._source_base import SourceBase
    from ..errors import Error
    from ._dispatching import LoopDispatching


class _Ending(OpeningReceiver):
    """Keeps a promise with the end of an opening: what the library tells, or that it will not tell any more."""

    __slots__ = ("promise",)

    def __init__(self, core: Core, dispatching: LoopDispatching, opening: Opening) -> None:
        self.promise: Promise[tuple[OpenAttachment | None, Error | None]] = Promise(dispatching)
        super().__init__(core, lambda *told: self.promise.settle(told), opening)

    def end(self) -> None:
        super().end()
        self.promise.settle_soon((None, closed("source")))


async def opened_from(
    source: SourceBase, dispatching: LoopDispatching, opening: Opening, timeout: float | None
) -> OpenAttachment:
    """Opens an attachment. Cancelling the task cancels the request."""
    dispatching.require_loop()
    if waiting_ms(timeout) == 0:
        return await asyncio.to_thread(open_and_wait, source, opening, 0)
    ending = _Ending(source._core, dispatching, opening)
    request = open_async(source, opening, ending)
    try:
        await asyncio.wait({ending.promise.future}, timeout=timeout)
    finally:
        request.cancel()  # Does nothing once it has ended.
        ending.silence()
    if not ending.promise.future.done():
        raise timed_out("opening of the attachment", timeout or 0)
    opened, error = ending.promise.future.result()
    if opened is None:
        raise error or closed("source")
    return opened


class Attachment(AttachmentBase):
    """As `remora.Attachment`, to be awaited in the loop that its client was made in."""

    __slots__ = ("_dispatching",)

    _dispatching: LoopDispatching

    async def open(self, timeout: float | None = None, **options: Unpack[OpeningOptions]) -> OpenAttachment:
        """As `remora.Attachment.open`; `progress` is called in the loop.

        Cancelling the task cancels the request, unless others wait for it; what has come is kept for the next opening.
        """
        source, opening = self._opening(options)
        return await opened_from(source, self._dispatching, opening, timeout)

    async def read(self, timeout: float | None = None, **options: Unpack[OpeningOptions]) -> bytes:
        """As `remora.Attachment.read`; the copy is made on a thread of the loop's executor."""
        with await self.open(timeout, **options) as opened:
            return await asyncio.to_thread(opened.read)


class CollectionRecord(RecordBase):
    """As `remora.CollectionRecord`, with an attachment that is awaited."""

    __slots__ = ("_dispatching",)

    def __init__(self, content: Content, key: str, source: SourceBase, dispatching: LoopDispatching) -> None:
        super().__init__(content, key, source)
        self._dispatching = dispatching

    @property
    def attachment(self) -> Attachment | None:
        """As `remora.CollectionRecord.attachment`."""
        said = self._said_of_attachment()
        return None if said is None else Attachment(**said, _dispatching=self._dispatching)
