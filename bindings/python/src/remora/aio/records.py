# SPDX-License-Identifier: Apache-2.0
#
# Records whose attachments are awaited. The opening is the library's asynchronous one, and its result arrives in the loop.
"""Records and attachments for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from .._runtime.arguments import named_options
from ..attachments import AttachmentBase, OpeningReceiver, open_async
from ..errors import closed
from ..records import RecordBase
from .loop import Promise

if TYPE_CHECKING:
    from .._runtime.content import Content
    from .._runtime.lifetimes import OpenSource
    from ..attachments import OpenAttachment, Opening, Progress
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
    """A `remora.Attachment` for asyncio: it is opened in the loop of its client."""

    __slots__ = ("_dispatching",)

    _dispatching: LoopDispatching

    @named_options
    async def open(
        self,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> OpenAttachment:
        """Opens it, as `remora.Attachment.open`; `progress` is called in the loop.

        Cancelling the task cancels the request, unless others wait for it. The next opening resumes the download.
        """
        source, opening = self._opening(progress, max_bytes, local)
        return await opened_from(source, self._dispatching, opening, timeout)

    @named_options
    async def read(
        self,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> bytes:
        """Returns a copy of its bytes, as `remora.Attachment.read`, made on a thread of the loop's executor."""
        with await self.open(timeout, progress=progress, max_bytes=max_bytes, local=local) as opened:
            return await asyncio.to_thread(opened.read)


class CollectionRecord(RecordBase):
    """A `remora.CollectionRecord` for asyncio: opening its attachment is awaited."""

    __slots__ = ("_dispatching",)

    def __init__(self, content: Content, key: str, source: OpenSource, dispatching: LoopDispatching) -> None:
        super().__init__(content, key, source)
        self._dispatching = dispatching

    @property
    def attachment(self) -> Attachment | None:
        """The description of its attachment, as `remora.CollectionRecord.attachment`."""
        attributes = self._attachment_attributes()
        return None if attributes is None else Attachment(**attributes, _dispatching=self._dispatching)
