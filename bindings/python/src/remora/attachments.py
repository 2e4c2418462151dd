# SPDX-License-Identifier: Apache-2.0
"""Attachments of records, the ways to open them, and open attachments. This module checks only the members of a record
that become typed attributes: the library checks the rest when it opens the attachment. Imported at its first use.
"""

from __future__ import annotations

from ._ffi import attachments
from ._ffi.calling import error_at
from ._ffi.registry import register, register_function
from ._runtime.arguments import key_bytes, location_bytes, waiting_ms
from ._runtime.data import Record
from ._runtime.option_fields import fields_of, takes
from ._runtime.options import AttachmentOptions
from ._runtime.receivers import Receiver, Request, checked_callback
from ._runtime.threads import wait_undisturbed
from .errors import closed, format_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from typing_extensions import Unpack

    from ._ffi.attachments import AttachmentHandle
    from ._ffi.calling import Field
    from ._runtime.content import Content
    from ._runtime.core import Core
    from ._runtime.data import JSON
    from ._runtime.lifetimes import OpenSource
    from .errors import Error

    Listener = Callable[..., object]

_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


# The library's handle belongs to the array that exports the bytes, and every view of the bytes keeps this array. So an
# attachment is not released while a view exists.


class OpenAttachment:
    """The verified bytes of an attachment. A file is memory-mapped, so that its bytes are loaded when they are read.

    Remains valid after the source and the client are closed. May be used in any thread. It is released by `close`, at
    the end of a `with` block, or with the last reference to it and to the views of `data`.
    """

    __slots__ = ("__weakref__", "_bytes")

    def __init__(self, handle: AttachmentHandle) -> None:
        self._bytes: Any = attachments.bytes_of(handle)

    @property
    def data(self) -> memoryview:
        """A read-only view of the bytes, without a copy. The view may be kept after `close`, and keeps the memory."""
        return memoryview(self._exporter()).cast("B").toreadonly()

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self._exporter())

    @property
    def path(self) -> str | None:
        """The path of the file with the bytes; None if the bytes are only in memory.

        Do not change the file: all openings of the attachment share it. Remora may remove the file when no record
        names the attachment.
        """
        return attachments.path_of(self._exporter().attachment)

    def read(self) -> bytes:
        """Returns a copy of the bytes."""
        return bytes(self.data)

    @property
    def closed(self) -> bool:
        """Whether the attachment was closed."""
        return self._bytes is None

    def close(self) -> None:
        """Releases the attachment. Using it afterwards raises ClosedError. A second call does nothing."""
        self._bytes = None

    def __enter__(self) -> OpenAttachment:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<remora.OpenAttachment closed>"
        return f"<remora.OpenAttachment size={self.size} path={self.path!r}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an OpenAttachment cannot be pickled or copied; take its bytes")

    def _exporter(self) -> Any:
        exporter = self._bytes
        if exporter is None:
            raise closed("attachment")
        return exporter


class Opening:
    """The arguments of a call that opens an attachment. Keeps the snapshot that has the record."""

    __slots__ = ("_content", "fields", "progress", "record")

    def __init__(self, record: bytes, content: Content | None, options: AttachmentOptions) -> None:
        progress = options.pop("progress", None)
        self.record = record
        self._content = content
        self.progress = None if progress is None else checked_callback(progress)
        self.fields: dict[str, Field] = {
            "snapshot": None if content is None else content.handle.value,
            "by_location": int(content is None),
            **fields_of(AttachmentOptions, options),
        }


def at_location(location: str, options: AttachmentOptions) -> Opening:
    """Returns an `Opening` of the attachment whose record in the live snapshot has this location."""
    return Opening(location_bytes(location), None, options)


class OpeningReceiver(Receiver):
    """Receives the result of an asynchronous opening. `silence` also mutes the receiver of progress reports."""

    __slots__ = ("progress",)

    def __init__(
        self,
        core: Core,
        callback: Callable[..., object],
        opening: Opening,
        at_end: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(core, callback, _opened, at_end)
        self.progress = None if opening.progress is None else Receiver(core, opening.progress)

    def silence(self) -> None:
        super().silence()
        if self.progress is not None:
            self.progress.silence()


def _opened(address: int | None, error: Any) -> tuple[OpenAttachment | None, Error | None]:
    return (OpenAttachment(attachments.retained(address)) if address else None), error_at(error)


def open_async(
    source: OpenSource, opening: Opening, receiver: OpeningReceiver, timeout: float | None = None
) -> Request:
    """Opens an attachment in the background.

    Calls `receiver.progress` during a download, and `receiver` with the result.
    """
    limit, handle, progress = waiting_ms(timeout), source._calling_back(receiver), receiver.progress
    enter_progress = None if progress is None else lambda: register(lambda: progress)
    enter = enter_progress, lambda: register(lambda: receiver)
    return Request(attachments.open_async(handle, opening.record, opening.fields, limit, *enter))


def open_and_wait(source: OpenSource, opening: Opening, timeout: float | None) -> OpenAttachment:
    """Opens an attachment and waits for it. Calls `opening.progress` on the calling thread."""
    limit, handle, core, progress = waiting_ms(timeout), source._using(), source._core, opening.progress
    core.dispatching.require_waiting()
    if progress is None:
        return OpenAttachment(attachments.open_waiting(handle, opening.record, opening.fields, limit, None))

    def open_reporting(listener: Listener) -> AttachmentHandle:
        enter = lambda: register_function(listener)  # noqa: E731
        return attachments.open_waiting(handle, opening.record, opening.fields, limit, enter)

    def report(received: int, total: int) -> None:
        try:
            progress(received, total)
        except Exception as error:
            core.report(error, progress)

    with core.reporting():
        return OpenAttachment(wait_undisturbed("remora-attachment", open_reporting, report))


class AttachmentBase(Record):
    """The base class of attachments, for the synchronous and the asyncio client."""

    __slots__ = ("_content", "_record", "_source", "filename", "hash", "location", "mimetype", "size")

    filename: str | None
    """The name of the original file, unchecked: do not use it as a path. None if the record has no file name."""
    mimetype: str | None
    """The media type; None if the record has no media type."""
    location: str
    """The path of the file below the server's base URL for attachments, as in the record. Opening raises FormatError if
    the path leads elsewhere."""
    hash: str
    """The SHA-256: 64 hexadecimal digits, in lower or upper case."""
    size: int
    """The number of bytes."""
    _content: Content
    _record: str
    _source: OpenSource | None

    @takes(AttachmentOptions)
    def open_async(
        self,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        **options: Unpack[AttachmentOptions],
    ) -> Request:
        """Opens the attachment in the background.

        The callback receives the open attachment or None, and the error or None. The timeout and the options are those
        of `open`. `callback` and `progress` are called on the thread of the client's callbacks. They are not called if
        the client or the source is closed first. Raises NotFoundError, FormatError, TooLargeError, ClosedError or
        UnavailableError.
        """
        source, opening = self._opening(options)
        receiver = OpeningReceiver(source._core, checked_callback(callback), opening)
        return open_async(source, opening, receiver, timeout)

    def _opening(self, options: AttachmentOptions) -> tuple[OpenSource, Opening]:
        if self._source is None:
            raise closed("source")
        return self._source, Opening(key_bytes(self._record), self._content, options)


class Attachment(AttachmentBase):
    """The attachment of a record, as the record describes it. Keeps the source open, because `open` needs it."""

    __slots__ = ()

    @takes(AttachmentOptions)
    def open(self, timeout: float | None = None, **options: Unpack[AttachmentOptions]) -> OpenAttachment:
        """Opens the stored or packaged file, or else downloads and stores the attachment. Waits for the result.

        The size and the hash of the result are always those of the record.

        - timeout: the caller's own limit in seconds. None: only the limits of the client apply. 0: opens local files
          only, and raises TimeoutError if a request is necessary.
        - others: see `AttachmentOptions`.

        Interrupted downloads resume at the next opening. Blocks the calling thread, which also calls `progress`; other
        threads can run. Ctrl-C takes effect when the call returns.

        Raises NotFoundError, FormatError, TooLargeError, AttachmentMismatchError, TimeoutError, ClosedError,
        BackoffError, NetworkError, StorageError.
        """
        return open_and_wait(*self._opening(options), timeout)

    @takes(AttachmentOptions)
    def read(self, timeout: float | None = None, **options: Unpack[AttachmentOptions]) -> bytes:
        """Opens the attachment, as `open`, and returns a copy of its bytes."""
        with self.open(timeout, **options) as opened:
            return opened.read()


def attachment_of(record: str, members: Mapping[str, JSON]) -> dict[str, Any] | None:
    """Returns the attributes of the attachment of a record, or None if the record has no attachment."""
    stated: Any = members.get("attachment")
    if stated is None:
        return None
    if not isinstance(stated, dict):
        raise format_error(f"attachment of record {record} is not an object")
    digits = stated.get("hash")
    if not isinstance(digits, str) or len(digits) != 64 or not _HEX_DIGITS.issuperset(digits):
        raise format_error(f"attachment.hash of record {record} is not a SHA-256 of 64 hexadecimal digits")
    if type(stated.get("size")) is not int or stated["size"] < 0:
        raise format_error(f"attachment.size of record {record} is not a number of bytes")
    if not isinstance(stated.get("location"), str):
        raise format_error(f"attachment.location of record {record} is not a string")
    texts = {name: stated[name] if isinstance(stated.get(name), str) else None for name in ("filename", "mimetype")}
    return {**texts, **{name: stated[name] for name in ("hash", "location", "size")}}
