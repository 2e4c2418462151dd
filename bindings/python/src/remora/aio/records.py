# SPDX-License-Identifier: Apache-2.0
#
# Records whose attachments are awaited. The opening is the library's asynchronous one, and its end comes in the loop.
"""Records and attachments for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..attachments import AttachmentBase, OpeningReceiver, open_async
from ..errors import closed
from ..records import RecordBase
from .loop import Promise

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._runtime.content import Content
    from .._runtime.lifetimes import OpenSource
    from ..attachments import OpenAttachment, Opening, OpeningOptions
    from ..errors import Error
    from .loop import LoopDispatching


async def opened_from(
    source: OpenSource, dispatching: LoopDispatching, opening: Opening, timeout: float | None
) -> OpenAttachment:
    """Opens an attachment. Cancelling the task cancels the request."""
    dispatching.require_loop()
    promise: Promise[tuple[OpenAttachment | None, Error | None]] = Promise(dispatching)
    receiver = OpeningReceiver(
        source._core,
        lambda *told: promise.settle(told),
        opening,
        lambda: promise.settle_soon((None, closed("source"))),
    )
    try:
        await promise.wait(open_async(source, opening, receiver, timeout))
    finally:
        receiver.silence()
    opened, error = promise.future.result()
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

    def __init__(self, content: Content, key: str, source: OpenSource, dispatching: LoopDispatching) -> None:
        super().__init__(content, key, source)
        self._dispatching = dispatching

    @property
    def attachment(self) -> Attachment | None:
        """As `remora.CollectionRecord.attachment`."""
        attributes = self._attachment_attributes()
        return None if attributes is None else Attachment(**attributes, _dispatching=self._dispatching)
