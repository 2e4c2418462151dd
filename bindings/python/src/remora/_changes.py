# SPDX-License-Identifier: Apache-2.0
#
# What differs between two snapshots. The values are decoded when they are looked at.
"""Changes."""

from __future__ import annotations

from ._enums import ChangeKind
from ._ffi import reads
from ._record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._content import Content
    from ._json import JSON


class Change(Record):
    """One changed key."""

    __slots__ = ("_new", "_old", "key", "kind")

    kind: ChangeKind
    """Created, updated or deleted."""
    key: str
    """The key."""
    _old: Content
    _new: Content

    @property
    def old(self) -> JSON:
        """The value before; None when the key was created."""
        return None if self.kind is ChangeKind.CREATED else self._old[self.key]

    @property
    def new(self) -> JSON:
        """The value now; None when the key was deleted."""
        return None if self.kind is ChangeKind.DELETED else self._new[self.key]


def changes_of(told: Iterable[tuple[int, str]], old: Content, new: Content) -> tuple[Change, ...]:
    """Changes, as the library tells their kinds and keys."""
    return tuple(Change(kind=ChangeKind(kind), key=key, _old=old, _new=new) for kind, key in told)


def changes_between(old: Content, new: Content) -> list[Change]:
    """What leads from one snapshot to another, in order of keys."""
    return list(changes_of(reads.diff(old.handle, new.handle), old, new))
