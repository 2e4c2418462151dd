# SPDX-License-Identifier: Apache-2.0
#
# The options of settings: dictionaries of keys and values.
"""Settings."""

from __future__ import annotations

from collections.abc import Mapping

from ._arguments import lifetime_ms, member, option_ms, path, text
from ._config import packaged_bytes
from ._enums import Activation

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Literal, TypedDict

    from ._ffi.calling import Field

    class SettingsOptions(TypedDict, total=False):
        """The options of settings. What is left out or None is the default."""

        params: Mapping[str, str] | None
        """What the server is told of user, segment or application: added to the query of every request. Other parameters
        are other settings."""
        root_key: str | None
        """The member of the document that holds the dictionary; default none, the document is it."""
        tag: str | None
        """Opens the dictionary of this tag, with its own cache, instead of the main one."""
        tag_item: str | None
        """The query item that names the tag; default "tag"."""
        activation: Activation | Literal["immediate", "next_setup", "manual"] | None
        """When what is fetched becomes live; default "next_setup", and with a tag always "immediate"."""
        fetch_at_open: bool
        """Whether opening begins a refresh, for which nobody waits; default True."""
        memory_only: bool
        """Whether nothing of these settings is stored; default False."""
        packaged_file: str | os.PathLike[str] | None
        """Start values: a document as the server would answer it."""
        packaged_data: bytes | str | None
        """The same as JSON text; not both."""
        refresh_interval: float | None
        """Refresh without being asked, once in about so many seconds; at least 1, None is never."""
        ttl: float | None
        """How many seconds what was fetched is fresh, so that waits are answered without a request: 0 always asks,
        math.inf never again. None is as the server says (Cache-Control), or else an hour. What has expired stays live."""
        persist_overrides: bool
        """Whether overrides are stored, and hold at the next open; default False, and not with memory_only."""


def settings_fields(
    url: str | None,
    *,
    params: Mapping[str, str] | None = None,
    root_key: str | None = None,
    tag: str | None = None,
    tag_item: str | None = None,
    activation: Activation | str | None = None,
    fetch_at_open: bool = True,
    memory_only: bool = False,
    packaged_file: str | os.PathLike[str] | None = None,
    packaged_data: bytes | str | None = None,
    refresh_interval: float | None = None,
    ttl: float | None = None,
    persist_overrides: bool = False,
) -> dict[str, Field]:
    """The fields of remora_settings_options; None leaves a default."""
    data = packaged_bytes(packaged_data)
    return {
        "url": text("url", url),
        "request_params": _params(params),
        "root_key": text("root_key", root_key),
        "tag": text("tag", tag),
        "tag_item": text("tag_item", tag_item),
        "activation": None if activation is None else member("activation", activation, Activation),
        "fetch_at_open": 0 if fetch_at_open else -1,
        "memory_only": int(bool(memory_only)),
        "packaged_file": path("packaged_file", packaged_file),
        "packaged_data": data,
        "packaged_size": None if data is None else len(data),
        "refresh_interval_ms": option_ms("refresh_interval", refresh_interval),
        "ttl_ms": lifetime_ms("ttl", ttl),
        "persist_overrides": int(bool(persist_overrides)),
    }


def _params(params: Mapping[str, str] | None) -> list[bytes] | None:
    """Name, value, name, value."""
    if params is None:
        return None
    if not isinstance(params, Mapping):
        raise TypeError(f"params must be a mapping, not {type(params).__name__}")
    flat = [part for pair in params.items() for part in pair]
    for part in flat:
        if not isinstance(part, str):
            raise TypeError(f"params must be of str, not {type(part).__name__}")
    return [text("params", part) or b"" for part in flat]
