# SPDX-License-Identifier: Apache-2.0
#
# Which attachment is to be opened, and how: from Python's types to the fields of the library's structure.
"""Openings of attachments."""

from __future__ import annotations

from ._arguments import byte_limit, key_bytes, location_bytes
from ._ffi import attachments
from ._ffi.calling import error_at
from ._ffi.constants import number
from ._ffi.registry import register
from ._open_attachment import OpenAttachment
from ._receivers import Receiver, checked_callback
from ._subscription import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypedDict

    from ._content import Content
    from ._core import Core
    from ._ffi.calling import Field
    from ._source_base import SourceBase
    from .errors import Error

    class OpeningOptions(TypedDict, total=False):
        """How an attachment is opened. What is left out or None is the default."""

        progress: Callable[[int, int], object] | None
        """Told how many bytes are there and how many there will be, about a hundred times at most; when nothing has to
        be downloaded, never. The first number falls where a server begins anew."""
        max_bytes: float | None
        """Larger attachments are TooLargeError, before any request; default 64 MiB, math.inf is off."""
        local: bool | None
        """Send no request: what is neither stored nor packaged is NotFoundError."""


class Opening:
    """What is to be opened, and how. Keeps the snapshot that it is looked for in."""

    __slots__ = ("_content", "fields", "progress")

    def __init__(
        self,
        which: dict[str, Field],
        content: Content | None,
        *,
        progress: Callable[[int, int], object] | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> None:
        self._content = content
        self.progress = None if progress is None else checked_callback(progress)
        self.fields = {
            **which,
            "max_bytes": byte_limit("max_bytes", max_bytes),
            "flags": number("REMORA_ATTACHMENT_LOCAL") if local else 0,
        }


def of_record(content: Content, key: str, options: OpeningOptions) -> Opening:
    """The attachment that a record of a snapshot has."""
    which: dict[str, Field] = {"record": key_bytes(key), "snapshot": content.handle.value}
    return Opening(which, content, **options)


def at_location(location: str, options: OpeningOptions) -> Opening:
    """The attachment that records of the live snapshot have there."""
    return Opening({"location": location_bytes(location)}, None, **options)


class OpeningReceiver(Receiver):
    """Of the end of an asynchronous opening; with it the one of its progress ends too."""

    __slots__ = ("progress",)

    def __init__(self, core: Core, callback: Callable[..., object], opening: Opening) -> None:
        super().__init__(core, callback)
        self.progress = None if opening.progress is None else Receiver(core, opening.progress)

    def silence(self) -> None:
        super().silence()
        if self.progress is not None:
            self.progress.silence()

    def read(self, *told: Any) -> tuple[OpenAttachment | None, Error | None]:
        address, error = told
        return (OpenAttachment(attachments.retained(address)) if address else None), error_at(error)


def open_async(source: SourceBase, opening: Opening, receiver: OpeningReceiver) -> Request:
    """Opens without waiting: the receiver is told the end, and before that its `progress` how far it is."""
    handle, progress = source._using(), receiver.progress
    source._core.start()
    source._receivers.add(receiver)
    enter_progress = None if progress is None else lambda: register(lambda: progress)
    return Request(attachments.open_async(handle, opening.fields, enter_progress, lambda: register(lambda: receiver)))
