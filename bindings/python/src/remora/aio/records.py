# SPDX-License-Identifier: Apache-2.0
"""Records whose attachments are awaited: the library opens an attachment, and the result arrives in the loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._runtime.option_fields import takes
from .._runtime.options import AttachmentOptions
from ..attachments import AttachmentBase, OpeningReceiver, open_async
from ..errors import closed
from ..records import RecordBase
from .loop import Promise

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._runtime.content import Content
    from .._runtime.lifetimes import OpenSource
    from ..attachments import OpenAttachment, Opening
    from ..errors import Error
    from .loop import LoopDispatching


async def opened_from(
    source: OpenSource, dispatching: LoopDispatching, opening: Opening, timeout: float | None
) -> OpenAttachment:
    """Opens an attachment, and waits for it. Cancelling the task cancels the request."""
    dispatching.require_loop()
    promise: Promise[tuple[OpenAttachment | None, Error | None]] = Promise(dispatching)
    receiver = OpeningReceiver(
        source._core,
        lambda *result: promise.settle(result),
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
    """A `remora.Attachment` for asyncio: opening and reading are awaited."""

    __slots__ = ("_dispatching",)

    _dispatching: LoopDispatching

    @takes(AttachmentOptions)
    async def open(self, timeout: float | None = None, **options: Unpack[AttachmentOptions]) -> OpenAttachment:
        """Opens the attachment, as `remora.Attachment.open`. `progress` is called in the loop.

        Cancelling the task cancels the request, unless other callers wait for the same download.
        """
        source, opening = self._opening(options)
        return await opened_from(source, self._dispatching, opening, timeout)

    @takes(AttachmentOptions)
    async def read(self, timeout: float | None = None, **options: Unpack[AttachmentOptions]) -> bytes:
        """Opens the attachment, as `open`, and returns a copy of its bytes, made on a thread of the loop's executor."""
        with await self.open(timeout, **options) as opened:
            return await asyncio.to_thread(opened.read)


class CollectionRecord(RecordBase):
    """A `remora.CollectionRecord` for asyncio: opening its attachment is awaited."""

    __slots__ = ("_dispatching",)

    def __init__(self, content: Content, key: str, source: OpenSource, dispatching: LoopDispatching) -> None:
        super().__init__(content, key, source)
        self._dispatching = dispatching

    @property
    def attachment(self) -> Attachment | None:
        """The attachment of the record, as `remora.CollectionRecord.attachment`."""
        attributes = self._attachment_attributes()
        return None if attributes is None else Attachment(**attributes, _dispatching=self._dispatching)
