# SPDX-License-Identifier: Apache-2.0
"""Records of collections as objects. (The value of a key is a plain dict.) Imported at its first use."""

from __future__ import annotations

from _collections_abc import Mapping  # `collections.abc` has them too, and takes longer to import.

from .errors import NotFoundError, no_record, wrong_type
from ._runtime.data import Object, public_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any, NoReturn

    from ._runtime.content import Content
    from ._runtime.data import JSON
    from ._runtime.lifetimes import OpenSource
    from .attachments import Attachment


class RecordBase(Mapping[str, "JSON"]):
    """The base class of records, for the synchronous and the asyncio client."""

    __slots__ = ("__weakref__", "_content", "_fields", "_key", "_members", "_source")

    def __init__(self, content: Content, key: str, source: OpenSource | None) -> None:
        try:
            members = content[key]
        except NotFoundError:
            raise no_record(key) from None
        if not isinstance(members, Object):
            raise wrong_type(f"the value of {key!r} is not a record")
        self._content = content
        self._key = key
        self._members = members
        self._source = source
        self._fields: Any = None

    @property
    def id(self) -> str:
        """The id of the record, which is its key."""
        return self._members["id"]  # type: ignore[no-any-return]

    @property
    def last_modified(self) -> int:
        """The time when the record was last published, in milliseconds since 1970."""
        return self._members["last_modified"]  # type: ignore[no-any-return]

    @property
    def modified_at(self) -> datetime | None:
        """The time when the record was last published, in UTC; None if that is not in the years 1970 to 9999."""
        from .values import moment

        return moment(self.last_modified)

    @property
    def fields(self) -> Mapping[str, JSON]:
        """The members of the record except `id`, `last_modified` and `attachment`, as a read-only `dict`."""
        if self._fields is None:
            self._fields = self._content.record_fields(self._key)
        return self._fields  # type: ignore[no-any-return]

    def __getitem__(self, name: str) -> JSON:
        return self._members[name]  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        source = "" if self._source is None else self._source._described()
        return f"<{public_name(self)} {self.id!r} last_modified={self.last_modified}{source}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled or copied; use dict(record) instead")

    def _attachment_attributes(self) -> dict[str, Any] | None:
        """Returns the attributes of the attachment of this record; None if it has no attachment."""
        from .attachments import attachment_of

        attributes = attachment_of(self.id, self._members)
        return attributes and {**attributes, "_content": self._content, "_record": self.id, "_source": self._source}


class CollectionRecord(RecordBase):
    """One record of a snapshot: a mapping of all its members, with attributes for the members that every record has.

    A record never changes. It keeps its snapshot, and keeps its source open, so that its attachment can be opened.
    """

    __slots__ = ()

    @property
    def attachment(self) -> Attachment | None:
        """The attachment of the record; None if the record has no attachment.

        Raises FormatError if the hash is not a SHA-256, the size is not a number of bytes, or the location is not a
        string. The record can still be read.
        """
        from .attachments import Attachment  # Later: most programs do not use it.

        attributes = self._attachment_attributes()
        return None if attributes is None else Attachment(**attributes)
