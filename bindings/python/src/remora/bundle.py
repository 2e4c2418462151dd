# SPDX-License-Identifier: Apache-2.0
"""The options of bundles, and their namespaces. Imported at its first use, because most programs have no bundle."""

from __future__ import annotations

from ._ffi import notifying
from ._runtime.arguments import text
from ._runtime.data import Record
from ._runtime.option_fields import SourceFields, source_fields
from ._runtime.options import BundleOptions
from .snapshot import handle_of
from .values import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._ffi.calling import Handle
    from .snapshot import Snapshot


def bundle_fields(url: str | None, options: BundleOptions) -> SourceFields:
    return source_fields("bundle", {"url": text("url", url)}, BundleOptions, options)


class Namespace(Record):
    """A namespace of a bundle."""

    __slots__ = ("in_bundle", "is_default", "name", "origin")

    name: str
    """The name, which is a key of the source."""
    in_bundle: bool
    """Whether the live bundle lists the namespace; otherwise it is from an earlier version or an override."""
    is_default: bool
    """Whether this is the first namespace of the default bundle."""
    origin: Origin
    """The origin of the value, as `Snapshot.origin_of` returns it."""


def namespaces_of(source: Handle, snapshot: Snapshot | None) -> tuple[Namespace, ...]:
    """Returns the namespaces in a snapshot (None: the live one) of a bundle, except those that the bundle removes."""
    return tuple(
        Namespace(name=name, in_bundle=in_bundle, is_default=is_default, origin=Origin(origin))
        for name, in_bundle, is_default, origin in notifying.namespaces(source, handle_of(snapshot))
    )
