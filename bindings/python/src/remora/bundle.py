# SPDX-License-Identifier: Apache-2.0
#
# The options of bundles, and their namespaces. Imported at its first use, because most programs have no bundle.
"""Bundles."""

from __future__ import annotations

from ._ffi import notifying
from ._runtime.arguments import text
from ._runtime.data import Record
from ._runtime.options import BundleOptions, SourceFields, source_fields
from .errors import invalid_argument
from .snapshot import Snapshot
from .values import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._ffi.calling import Handle


def bundle_fields(url: str | None, options: BundleOptions) -> SourceFields:
    """Returns the fields of a bundle."""
    if url is None and options.get("fetch_at_open") is True:
        raise invalid_argument("fetch_at_open must not be True without url, because a refresh needs url")
    return source_fields("bundle", {"url": text("url", url)}, BundleOptions, options)


class Namespace(Record):
    """A namespace of a bundle."""

    __slots__ = ("in_bundle", "is_default", "name", "origin")

    name: str
    """Its key."""
    in_bundle: bool
    """Whether it is in the live bundle; else it was carried over, or created by an override."""
    is_default: bool
    """Whether it is the first one of the default bundle."""
    origin: Origin
    """The origin of its value, as returned by `Snapshot.origin_of`."""


def namespaces_of(source: Handle, snapshot: Snapshot | None) -> tuple[Namespace, ...]:
    """Returns the active namespaces of a bundle, live or of a snapshot."""
    if snapshot is not None and not isinstance(snapshot, Snapshot):
        raise TypeError(f"snapshot must be a Snapshot, not {type(snapshot).__name__}")
    handle = None if snapshot is None else snapshot._content.handle
    return tuple(
        Namespace(name=name, in_bundle=in_bundle, is_default=is_default, origin=Origin(origin))
        for name, in_bundle, is_default, origin in notifying.namespaces(source, handle)
    )
