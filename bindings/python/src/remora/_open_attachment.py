# SPDX-License-Identifier: Apache-2.0
#
# An attachment that was opened. The library's handle belongs to the array that exports its bytes, and every view of
# them keeps that: so nobody can close an attachment under a view.
"""Open attachments."""

from __future__ import annotations

from ._ffi import attachments
from .errors import closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from ._ffi.attachments import AttachmentHandle


class OpenAttachment:
    """The verified bytes of an attachment, mapped where a file holds them: they cost memory when they are looked at.

    Has nothing to do with source and client any more. Safe in every thread. It ends with `close`, its `with` block, or
    the last reference to it and to what `data` gave.
    """

    __slots__ = ("__weakref__", "_bytes")

    def __init__(self, handle: AttachmentHandle) -> None:
        self._bytes: Any = attachments.bytes_of(handle)

    @property
    def data(self) -> memoryview:
        """The bytes, read-only and without a copy. May be kept after `close`, and keeps their memory then."""
        return memoryview(self._exporter()).cast("B").toreadonly()

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self._exporter())

    @property
    def path(self) -> str | None:
        """The file that holds the bytes, for what wants a file; None when they are in memory only.

        Only read it: all that open this attachment share it. It may be removed once no record names it.
        """
        return attachments.path_of(self._exporter().attachment)

    def read(self) -> bytes:
        """A copy of the bytes."""
        return bytes(self.data)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._bytes is None

    def close(self) -> None:
        """Gives the attachment up: using it afterwards is ClosedError. A second time it does nothing."""
        self._bytes = None

    def __enter__(self) -> OpenAttachment:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        exporter = self._bytes
        return f"<remora.OpenAttachment {'closed' if exporter is None else f'size={len(exporter)}'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an OpenAttachment cannot be pickled or copied; take its bytes")

    def _exporter(self) -> Any:
        exporter = self._bytes
        if exporter is None:
            raise closed("attachment")
        return exporter
