# SPDX-License-Identifier: Apache-2.0
#
# A record's description of its attachment, the ways to open it, and the open attachment. Only the members that have a
# type in Python are checked here: the library checks the rest when it opens the attachment. Imported at its first use.
"""Attachments of records."""

from __future__ import annotations

from ._ffi import attachments
from ._ffi.calling import error_at
from ._ffi.registry import register, register_function
from ._runtime.arguments import byte_limit, key_bytes, location_bytes, named_options, waiting_ms
from ._runtime.data import Record
from ._runtime.receivers import Receiver, Request, checked_callback
from ._runtime.threads import wait_undisturbed
from .errors import closed, format_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from ._ffi.attachments import AttachmentHandle
    from ._ffi.calling import Field
    from ._runtime.content import Content
    from ._runtime.core import Core
    from ._runtime.data import JSON
    from ._runtime.lifetimes import OpenSource
    from .errors import Error

    Listener = Callable[..., object]
    Progress = Callable[[int, int], object]

_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


# The library's handle belongs to the array that exports the bytes, and every view of them keeps that array. So an
# attachment cannot be released under a view.


class OpenAttachment:
    """The verified bytes of an attachment. Those of a file are mapped: they use memory when they are read.

    Independent of source and client. Safe in every thread. It is released by `close`, at the end of a `with` block, or
    with the last reference to it and to the views of `data`.
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
        """The file that holds the bytes; None if they are in memory only.

        Only read it: every opening of this attachment shares it. It may be removed once no record names it.
        """
        return attachments.path_of(self._exporter().attachment)

    def read(self) -> bytes:
        """Returns a copy of the bytes."""
        return bytes(self.data)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._bytes is None

    def close(self) -> None:
        """Releases the attachment: using it afterwards raises ClosedError. A second call does nothing."""
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
    """An attachment to open, with its options. Keeps the snapshot in which its record is looked up."""

    __slots__ = ("_content", "fields", "progress", "record")

    def __init__(
        self,
        record: bytes,
        content: Content | None,
        progress: Progress | None,
        max_bytes: float | None,
        local: bool | None,
    ) -> None:
        self.record = record
        self._content = content
        self.progress = None if progress is None else checked_callback(progress)
        self.fields: dict[str, Field] = {
            "snapshot": None if content is None else content.handle.value,
            "by_location": int(content is None),
            "max_bytes": byte_limit("max_bytes", max_bytes),
            "local_only": int(bool(local)),
        }


def at_location(location: str, progress: Progress | None, max_bytes: float | None, local: bool | None) -> Opening:
    """Returns the opening of the attachment that records of the live snapshot have at a location."""
    return Opening(location_bytes(location), None, progress, max_bytes, local)


class OpeningReceiver(Receiver):
    """Receives the result of an asynchronous opening; muting it mutes the receiver of its progress too."""

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
    """Opens without waiting: the receiver gets the result, and its `progress` is called before."""
    limit, handle, progress = waiting_ms(timeout), source._calling_back(receiver), receiver.progress
    enter_progress = None if progress is None else lambda: register(lambda: progress)
    enter = enter_progress, lambda: register(lambda: receiver)
    return Request(attachments.open_async(handle, opening.record, opening.fields, limit, *enter))


def open_and_wait(source: OpenSource, opening: Opening, timeout: float | None) -> OpenAttachment:
    """Opens an attachment and waits for it. Its progress is reported on this thread."""
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
    """The part of attachments that both packages share."""

    __slots__ = ("_content", "_record", "_source", "filename", "hash", "location", "mimetype", "size")

    filename: str | None
    """The name of the original file; None if the record does not name it. Not checked: do not use it as a path."""
    mimetype: str | None
    """Its media type; None if the record does not name it."""
    location: str
    """Its place below the server's attachments, as the record has it. Not checked: opening the attachment raises
    FormatError if it leads elsewhere."""
    hash: str
    """Its SHA-256: 64 hex digits of either case."""
    size: int
    """Its bytes."""
    _content: Content
    _record: str
    _source: OpenSource | None

    @named_options
    def open_async(
        self,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> Request:
        """Opens it, as `open`, without waiting: the callback receives the open attachment or None, and the error or None.

        The callback is called where the client's callbacks run, and so is `progress`; not at all if client or source
        are closed before. Raises NotFoundError, FormatError, TooLargeError, ClosedError or UnavailableError.
        """
        source, opening = self._opening(progress, max_bytes, local)
        receiver = OpeningReceiver(source._core, checked_callback(callback), opening)
        return open_async(source, opening, receiver, timeout)

    def _opening(
        self, progress: Progress | None, max_bytes: float | None, local: bool | None
    ) -> tuple[OpenSource, Opening]:
        if self._source is None:
            raise closed("source")
        return self._source, Opening(key_bytes(self._record), self._content, progress, max_bytes, local)


class Attachment(AttachmentBase):
    """The attachment of a record, as the record describes it. Keeps the source, to be opened from there."""

    __slots__ = ()

    @named_options
    def open(
        self,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> OpenAttachment:
        """Opens the stored file, else the packaged one, else downloads it from the server, waits for it and stores it.

        The result always has the size and the hash of the record.

        - timeout: the caller's own limit in seconds. None leaves it to the limits of the client, 0 opens local files
          only and raises TimeoutError if a request would be needed.
        - progress: is called with the received and the total number of bytes, about a hundred times at most; never
          without a download. The first number falls if the server restarts the transfer. It is called on this thread;
          its exceptions are reported as those of every callback, and the opening goes on.
        - max_bytes: larger attachments raise TooLargeError, before any request; default 64 MiB, math.inf is off.
        - local: sends no request: an attachment that is neither stored nor packaged raises NotFoundError.

        The next opening resumes an interrupted download. Other threads run meanwhile; Ctrl-C takes effect when the call
        returns.

        Raises NotFoundError, FormatError, TooLargeError, AttachmentMismatchError, TimeoutError, ClosedError,
        BackoffError, NetworkError, StorageError.
        """
        return open_and_wait(*self._opening(progress, max_bytes, local), timeout)

    @named_options
    def read(
        self,
        timeout: float | None = None,
        *,
        progress: Progress | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
    ) -> bytes:
        """Returns a copy of its bytes, and releases the attachment. Options and errors are those of `open`."""
        with self.open(timeout, progress=progress, max_bytes=max_bytes, local=local) as opened:
            return opened.read()


def attachment_of(record: str, members: Mapping[str, JSON]) -> dict[str, Any] | None:
    """Returns the attributes of the attachment of a record with these members; None without one."""
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
