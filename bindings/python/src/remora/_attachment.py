# SPDX-License-Identifier: Apache-2.0
#
# What a record says of its attachment, and the ways to open it. Only what Python gives types to is checked here: the
# library looks at the rest when it opens it.
"""Attachments of records."""

from __future__ import annotations

from ._record import Record
from .errors import closed, format_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from typing_extensions import Unpack

    from ._content import Content
    from ._json import JSON
    from ._open_attachment import OpenAttachment
    from ._opening import Opening, OpeningOptions
    from ._source_base import SourceBase
    from ._subscription import Request
    from .errors import Error

_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")


class AttachmentBase(Record):
    """What all attachments have, whoever waits for them."""

    __slots__ = ("_content", "_record", "_source", "filename", "hash", "location", "mimetype", "size")

    filename: str | None
    """The name that its file had; None when the record has none. Not checked: do not use it as a path."""
    mimetype: str | None
    """Its media type; None when the record has none."""
    location: str
    """Where it is, below what the server announces."""
    hash: str
    """Its SHA-256: 64 hex digits of either case."""
    size: int
    """Its bytes."""
    _content: Content
    _record: str
    _source: SourceBase | None

    def open_async(
        self, callback: Callable[[OpenAttachment | None, Error | None], object], **options: Unpack[OpeningOptions]
    ) -> Request:
        """As `open`, without waiting: the callback is given the open attachment or None, and the error or None.

        It comes where the client's callbacks run, and so does `progress`; not at all when client or source are closed
        before. Raises NotFoundError, FormatError, TooLargeError, ClosedError or UnavailableError.
        """
        from ._opening import OpeningReceiver, open_async
        from ._receivers import checked_callback

        source, opening = self._opening(options)
        return open_async(source, opening, OpeningReceiver(source._core, checked_callback(callback), opening))

    def _opening(self, options: OpeningOptions) -> tuple[SourceBase, Opening]:
        from ._opening import of_record

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
        from ._opening_waits import open_and_wait

        return open_and_wait(*self._opening(options), timeout)

    def read(self, timeout: float | None = None, **options: Unpack[OpeningOptions]) -> bytes:
        """Its bytes, copied out of memory that is given back. As `open` otherwise."""
        with self.open(timeout, **options) as opened:
            return opened.read()


def said_of_attachment(record: str, members: Mapping[str, JSON]) -> dict[str, Any] | None:
    """The attributes of an attachment, as the members of a record have them; None when it has none."""
    told: Any = members.get("attachment")
    if told is None:
        return None
    if not isinstance(told, dict):
        raise format_error(f"attachment of record {record} is not an object")
    if not _is_sha256(told.get("hash")):
        raise format_error(f"attachment.hash of record {record} is not a SHA-256 of 64 hexadecimal digits")
    if type(told.get("size")) is not int or told["size"] < 0:
        raise format_error(f"attachment.size of record {record} is not a number of bytes")
    if not isinstance(told.get("location"), str):
        raise format_error(f"attachment.location of record {record} is not a string")
    said = {name: told[name] for name in ("hash", "location", "size")}
    for name in ("filename", "mimetype"):
        said[name] = told[name] if isinstance(told.get(name), str) else None
    return said


def _is_sha256(digits: object) -> bool:
    return isinstance(digits, str) and len(digits) == 64 and _HEX_DIGITS.issuperset(digits)
