# SPDX-License-Identifier: Apache-2.0
#
# Dictionaries of keys and values: their options, the dictionaries of their tags, and reads that may wait. Imported at its
# first use, because most programs open none.
"""Settings."""

from __future__ import annotations

from collections.abc import Mapping

from ._runtime.arguments import lifetime_ms, member, options_named, path, text
from ._runtime.options import SourceFields, opening_fields, packaged_bytes
from .errors import closed
from .events import EventSource
from .snapshot import Snapshot
from .source import Source
from .values import Activation, overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from typing import Any, Literal, TypedDict, TypeVar

    from ._ffi.calling import Field, Handle
    from ._runtime.core import Core
    from .events import FirstReceiver
    from .values import JSON

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")
    Self = TypeVar("Self", bound="Tagged")
    Read = Callable[[Snapshot, str, Any], Any]

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
        fetch_at_open: bool | None
        """Whether opening starts a refresh in the background; default True."""
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


NO_WAIT: Any = object()
"""Stands for a limit that was not given."""


@options_named("SettingsOptions")
def settings_fields(
    url: str | None,
    *,
    params: Mapping[str, str] | None = None,
    root_key: str | None = None,
    tag: str | None = None,
    tag_item: str | None = None,
    activation: Activation | str | None = None,
    fetch_at_open: bool | None = None,
    memory_only: bool = False,
    packaged_file: str | os.PathLike[str] | None = None,
    packaged_data: bytes | str | None = None,
    refresh_interval: float | None = None,
    ttl: float | None = None,
    persist_overrides: bool = False,
) -> SourceFields:
    """The fields of settings; None leaves a default."""
    data = packaged_bytes(packaged_data)
    own: dict[str, Field] = {
        "url": text("url", url),
        "request_params": _params(params),
        "root_key": text("root_key", root_key),
        "tag": text("tag", tag),
        "tag_item": text("tag_item", tag_item),
        "activation": None if activation is None else member("activation", activation, Activation),
        "memory_only": int(bool(memory_only)),
        "packaged_file": path("packaged_file", packaged_file),
        "packaged_data": data,
        "packaged_size": None if data is None else len(data),
        "ttl_ms": lifetime_ms("ttl", ttl),
    }
    return SourceFields("settings", own, opening_fields(fetch_at_open, refresh_interval, persist_overrides))


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


# Tags: there is no lock, because a child that was forked while another thread held it could never take it.


_SHARED = ("root_key", "tag_item", "memory_only", "ttl", "persist_overrides")
"""The options that hold for tags too: how they are asked for and kept, and not what is in them."""

SHARED: Any = object()
"""Stands for a lifetime that was not given: it is that of the settings."""


class Tags:
    """The open tags, by name."""

    __slots__ = ("_is_closed", "_open", "_options", "_sources", "_url")

    def __init__(self, open: Callable[..., Any], url: str | None, options: SettingsOptions) -> None:
        self._open = open
        self._url = url
        self._options: dict[str, Any] = {name: value for name, value in options.items() if name in _SHARED}
        self._options["params"] = dict(options.get("params") or {})  # A copy, which nobody changes.
        self._sources: dict[str, Any] = {}
        self._is_closed = False

    def source(self, tag: str, ttl: Any) -> Any:
        """The source of a tag."""
        kept = self._sources.get(tag)
        is_open = kept is not None and not kept.closed
        if is_open and ttl is SHARED:
            return kept
        if not is_open:
            self._sources.pop(tag, None)
        own = {} if ttl is SHARED else {"ttl": ttl}
        opened = self._open(self._url, tag=tag, fetch_at_open=False, **{**self._options, **own})
        kept = self._sources.setdefault(tag, opened)
        if kept is not opened:  # Open already; the library has logged a ttl that has no effect.
            opened.close()
        if self._is_closed:
            kept.close()
            raise closed("source")
        return kept

    def close(self) -> None:
        """Closes them all."""
        self._is_closed = True
        for tag in list(self._sources):
            source = self._sources.pop(tag, None)
            if source is not None:
                source.close()


class Tagged(EventSource):
    """What settings have beside other sources, whoever waits."""

    __slots__ = ()

    _tags: Tags

    def tag(self: Self, tag: str, *, ttl: float | None = SHARED) -> Self:
        """The dictionary of a tag: settings of their own, which are live at once.

        Opened at its first use, with the url, `params`, `root_key`, `tag_item`, `memory_only`, `ttl` and
        `persist_overrides` of these; kept, and closed together with them. `ttl` replaces that of these at the first
        use; on a tag that is open with another one it has no effect, and is a warning in the log. Sends no request. Waits
        for file system calls. Raises InvalidArgumentError, ClosedError.
        """
        if not isinstance(tag, str):
            raise TypeError(f"tag must be str, not {type(tag).__name__}")
        self._using()
        return self._tags.source(tag, ttl)  # type: ignore[no-any-return]

    def prefetch(self, tag: str | None = None) -> None:
        """Begins what `wait` would wait for, and returns at once: what comes is there for later waits and reads.

        Sends no request while what is there is fresh (`ttl`). What it came to is told to subscribers only. Raises
        ClosedError or UnavailableError; InvalidArgumentError for what is no tag.
        """
        if tag is None:
            super().prefetch()
        else:
            self.tag(tag).prefetch()

    def close(self) -> None:
        """As `Source.close`, for the tags too."""
        self._tags.close()
        super().close()

    def _asked(self: Self, key: str, tag: str | None) -> Self:
        """Who is to be asked for a key."""
        if not isinstance(key, str):
            raise TypeError(f"key must be str, not {type(key).__name__}")
        return self if tag is None else self.tag(tag)


# `Settings.get` reads by the type of its default, so that a server that changes a type cannot surprise the program.

_READS: dict[Any, Any] = {
    bool: Snapshot.get_bool,  # Before int, whose subclass it is.
    int: Snapshot.get_int,
    float: Snapshot.get_float,
    str: Snapshot.get_str,
    list: Snapshot.get_list,
    dict: Snapshot.get_dict,
    "url": Snapshot.get_url,
}
"""The typed read of each type."""


def read_as(kind: object, default: object) -> Read:
    """How a value of a type is read, or else one of the default's type. TypeError for a type that no value has."""
    if kind is None:
        kind = next((known for known in _READS if known != "url" and isinstance(default, known)), None)
    elif not isinstance(kind, (type, str)) or kind not in _READS:
        raise TypeError('type must be bool, int, float, str, list, dict or "url"')
    if kind is None:
        return _read_any
    read = _READS[kind]
    return lambda snapshot, key, default: read(snapshot, key, None, default)


def _read_any(snapshot: Snapshot, key: str, default: object) -> object:
    value = snapshot.get(key)
    return default if value is None else value


class Settings(Tagged, Source):
    """A dictionary of settings, and those of its tags: a `Source` whose `get` may wait."""

    __slots__ = ("_tags",)

    def __init__(self, client: object, core: Core, handle: Handle, first: FirstReceiver | None, tags: Tags) -> None:
        super().__init__(client, core, handle, first)
        self._tags = tags

    @overload
    def get(self, key: str, default: None = None, *, tag: str | None = None, timeout: float | None = ...) -> JSON: ...
    @overload
    def get(self, key: str, default: V, *, tag: str | None = None, timeout: float | None = ...) -> V: ...
    @overload
    def get(self, key: str, default: T, *, tag: str | None = None, timeout: float | None = ...) -> JSON | T: ...
    @overload
    def get(
        self, key: str, default: T, *, type: Literal["url"], tag: str | None = None, timeout: float | None = ...
    ) -> str | T: ...
    @overload
    def get(
        self, key: str, default: None = ..., *, type: Literal["url"], tag: str | None = ..., timeout: float | None = ...
    ) -> str | None: ...
    @overload
    def get(
        self, key: str, default: T, *, type: type[V], tag: str | None = None, timeout: float | None = ...
    ) -> V | T: ...
    @overload
    def get(
        self, key: str, default: None = None, *, type: type[V], tag: str | None = None, timeout: float | None = ...
    ) -> V | None: ...
    def get(
        self,
        key: str,
        default: Any = None,
        *,
        tag: str | None = None,
        timeout: float | None = NO_WAIT,
        type: Any = None,
    ) -> Any:
        """The value of a key, or `default` where there is none, a null, or a value of another type.

        The type is that of `default` where it is a bool, int, float, str, list or dict, and else any; `type` names one of
        these, or "url" for an absolute URI. Numbers convert where they convert exactly, as in `get_int` and `get_float`.

        Of the live dictionary and at once; with `timeout` or `tag` the fresh one if it comes within so many seconds, else
        the one that was live at the call. With a tag no `timeout` is none of its own, as None is; 0 sends no request. A
        key that is not in the fresh dictionary has no value, whatever it had before. What the activation of a main
        dictionary stages is not live, and so not given. Never raises for what the server
        does; TypeError or ValueError for wrong arguments, InvalidArgumentError for what is no tag, ClosedError.
        """
        read, asked = read_as(type, default), self._asked(key, tag)
        if tag is None and timeout is NO_WAIT:
            return read(self.snapshot(), key, default)
        return read(asked.wait(None if timeout is NO_WAIT else timeout), key, default)
