# SPDX-License-Identifier: Apache-2.0
#
# The options of bundles, and their namespaces. Imported at its first use, because most programs have no bundle.
"""Bundles."""

from __future__ import annotations

from collections.abc import Mapping

from ._ffi import notifying
from ._runtime.arguments import json_text, member, text, whole_number
from ._runtime.data import Record
from ._runtime.options import METHOD_GET, SourceFields, opening_fields
from .errors import invalid_argument
from .snapshot import Snapshot
from .values import Origin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from ._ffi.calling import Field, Handle
    from .values import Method

    Default = Union[Mapping[str, Any], list[Any], str]
    """A default bundle: a mapping, a list of its elements, or the JSON text of either."""


def bundle_fields(
    url: str | None,
    *,
    name: str | None = None,
    method: Method | str = METHOD_GET,
    fetch_at_open: bool | None = None,
    accepted_schema: str | None = None,
    default: Default | None = None,
    default_version: int | None = None,
    refresh_interval: float | None = None,
    persist_overrides: bool = False,
) -> SourceFields:
    """Returns the fields of a bundle; None leaves a default."""
    if url is None and fetch_at_open is True:
        raise invalid_argument("fetch_at_open must not be True without url, because a refresh needs url")
    own: dict[str, Field] = {
        "url": text("url", url),
        "name": text("name", name),
        "method": member("method", method),
        "accepted_schema": text("accepted_schema", accepted_schema),
        "default_bundle": _default(default),
        "default_version": whole_number("default_version", default_version, least=0),
    }
    return SourceFields("bundle", own, opening_fields(fetch_at_open, refresh_interval, persist_overrides))


def _default(value: Default | None) -> bytes | None:
    if value is None or isinstance(value, str):
        return text("default", value)
    if not isinstance(value, (Mapping, list)):
        raise TypeError(f"default must be a mapping, a list or JSON text, not {type(value).__name__}")
    return json_text("default", dict(value) if isinstance(value, Mapping) else value)


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
