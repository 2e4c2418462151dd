# SPDX-License-Identifier: Apache-2.0
#
# A record's description of its attachment, the ways to open it, and the open attachment. Only the members that have a
# type in Python are checked here: the library checks the rest when it opens the attachment. Imported at its first use.
"""Attachments of records."""

from __future__ import annotations

from ._ffi import attachments
from ._ffi.calling import error_at
from ._ffi.registry import register, register_function
from ._runtime.arguments import byte_limit, key_bytes, location_bytes, options_named, waiting_ms
from ._runtime.receivers import Receiver, Request, checked_callback
from ._runtime.threads import wait_undisturbed
from .errors import closed, format_error
from .values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, TypedDict

    from typing_extensions import Unpack

    from ._ffi.attachments import AttachmentHandle
    from ._ffi.calling import Field
    from ._runtime.content import Content
    from ._runtime.core import Core
    from ._runtime.lifetimes import OpenSource
    from .errors import Error
    from .values import JSON

    Tell = Callable[..., object]

    class OpeningOptions(TypedDict, total=False):
        """How an attachment is opened. What is left out or None is the default."""

        progress: Callable[[int, int], object] | None
        """Told how many bytes are there and how many there will be, about a hundred times at most; when nothing has to
        be downloaded, never. The first number falls where a server begins anew."""
        max_bytes: float | None
        """Larger attachments are TooLargeError, before any request; default 64 MiB, math.inf is off."""
        local: bool | None
        """Send no request: what is neither stored nor packaged is NotFoundError."""


_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


# The library's handle belongs to the array that exports the bytes, and every view of them keeps that array. So nobody can
# close an attachment under a view.


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


class Opening:
    """What is to be opened, and how. Keeps the snapshot that it is looked for in."""

    __slots__ = ("_content", "fields", "progress", "record")

    @options_named("OpeningOptions")
    def __init__(
        self,
        record: bytes,
        content: Content | None,
        *,
        progress: Callable[[int, int], object] | None = None,
        max_bytes: float | None = None,
        local: bool | None = None,
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


def of_record(content: Content, key: str, options: OpeningOptions) -> Opening:
    """The attachment that a record of a snapshot has."""
    return Opening(key_bytes(key), content, **options)


def at_location(location: str, options: OpeningOptions) -> Opening:
    """The attachment that records of the live snapshot have there."""
    return Opening(location_bytes(location), None, **options)


class OpeningReceiver(Receiver):
    """Receives the end of an asynchronous opening; silencing it silences the receiver of its progress too."""

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

    def open_telling(tell: Tell) -> AttachmentHandle:
        enter = lambda: register_function(tell)  # noqa: E731
        return attachments.open_waiting(handle, opening.record, opening.fields, limit, enter)

    def tell(received: int, total: int) -> None:
        try:
            progress(received, total)
        except Exception as error:
            core.report(error, progress)

    with core.reporting():
        return OpenAttachment(wait_undisturbed("remora-attachment", open_telling, tell))


class AttachmentBase(Record):
    """What all attachments have, whoever waits for them."""

    __slots__ = ("_content", "_record", "_source", "filename", "hash", "location", "mimetype", "size")

    filename: str | None
    """The name that its file had; None when the record has none. Not checked: do not use it as a path."""
    mimetype: str | None
    """Its media type; None when the record has none."""
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

    def open_async(
        self,
        callback: Callable[[OpenAttachment | None, Error | None], object],
        timeout: float | None = None,
        **options: Unpack[OpeningOptions],
    ) -> Request:
        """As `open`, without waiting: the callback receives the open attachment or None, and the error or None.

        It is called where the client's callbacks run, and so is `progress`; not at all if client or source are closed
        before. Raises NotFoundError, FormatError, TooLargeError, ClosedError or UnavailableError.
        """
        source, opening = self._opening(options)
        receiver = OpeningReceiver(source._core, checked_callback(callback), opening)
        return open_async(source, opening, receiver, timeout)

    def _opening(self, options: OpeningOptions) -> tuple[OpenSource, Opening]:
        if self._source is None:
            raise closed("source")
        return self._source, of_record(self._content, self._record, options)


class Attachment(AttachmentBase):
    """The attachment of a record, as the record describes it. Keeps the source, to be opened from there."""

    __slots__ = ()

    def open(self, timeout: float | None = None, **options: Unpack[OpeningOptions]) -> OpenAttachment:
        """Opens it: what is stored, else what is packaged, else what the server has, which is waited for and stored.

        What is opened has the size and the hash that the record says. The options are those of `OpeningOptions`.
        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 opens what is here
        and raises TimeoutError where a request would be needed. A download that breaks off is continued by the next
        opening. `progress` is called on this thread; what it raises goes where it goes for every callback, and the
        opening goes on. Other threads run meanwhile; Ctrl-C takes effect when it returns.

        Raises NotFoundError, FormatError, TooLargeError, AttachmentMismatchError, TimeoutError, ClosedError,
        BackoffError, NetworkError, StorageError.
        """
        return open_and_wait(*self._opening(options), timeout)

    def read(self, timeout: float | None = None, **options: Unpack[OpeningOptions]) -> bytes:
        """Its bytes, copied out of memory that is given back. As `open` otherwise."""
        with self.open(timeout, **options) as opened:
            return opened.read()


def attachment_of(record: str, members: Mapping[str, JSON]) -> dict[str, Any] | None:
    """The attributes that the members of a record have for its attachment; None when it has none."""
    stated: Any = members.get("attachment")
    if stated is None:
        return None
    if not isinstance(stated, dict):
        raise format_error(f"attachment of record {record} is not an object")
    if not _is_sha256(stated.get("hash")):
        raise format_error(f"attachment.hash of record {record} is not a SHA-256 of 64 hexadecimal digits")
    if type(stated.get("size")) is not int or stated["size"] < 0:
        raise format_error(f"attachment.size of record {record} is not a number of bytes")
    if not isinstance(stated.get("location"), str):
        raise format_error(f"attachment.location of record {record} is not a string")
    found = {name: stated[name] for name in ("hash", "location", "size")}
    for name in ("filename", "mimetype"):
        found[name] = stated[name] if isinstance(stated.get(name), str) else None
    return found


def _is_sha256(digits: object) -> bool:
    return isinstance(digits, str) and len(digits) == 64 and _HEX_DIGITS.issuperset(digits)
