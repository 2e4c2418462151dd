# SPDX-License-Identifier: Apache-2.0
"""Settings (dictionaries of keys and values): their options, additional dictionaries (tags), and reads that may wait.
Imported at the first use, because most programs open no settings.
"""

from __future__ import annotations

from ._ffi import handles
from ._runtime.arguments import lifetime_ms, named_options, text
from ._runtime.data import overload
from ._runtime.option_fields import SourceFields, source_fields
from ._runtime.options import SettingsOptions
from ._runtime.typed_reads import READS, read_of
from .events import EventSource
from .snapshot import Snapshot
from .source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeVar

    from ._runtime.data import JSON

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")
    Self = TypeVar("Self", bound="Tagged")
    Read = Callable[[Snapshot, str, Any], Any]

NO_WAIT: Any = object()
"""Stands for a timeout that was not passed."""


def settings_fields(url: str | None, options: SettingsOptions) -> SourceFields:
    return source_fields("settings", {"url": text("url", url)}, SettingsOptions, options)


class Tagged(EventSource):
    """Settings with tags, for the synchronous and the asyncio client."""

    __slots__ = ()

    @named_options
    def tag(self: Self, tag: str, *, ttl: float | None = None) -> Self:
        """Opens a tag: an additional dictionary at the same URL, whose fetched values become live at once.

        The tag has the url and the options `params`, `root_key`, `tag_item`, `memory_only` and `persist_overrides` of
        these settings, and also their `ttl` if you pass none. Until these settings are closed, the tag's values stay in
        memory, so only the first call for a tag waits for file system calls. Close the returned source, too: closing
        these settings does not close it.

        If the tag is open with another `ttl`, the earlier `ttl` stays. The log then has a warning, unless the new `ttl`
        is None or 0. Sends no request. Raises InvalidArgumentError, also if these settings are a tag themselves, or
        ClosedError.
        """
        if not isinstance(tag, str):
            raise TypeError(f"tag must be str, not {type(tag).__name__}")
        self._require_caller()
        lifetime = 0 if ttl is None else lifetime_ms("ttl", ttl)
        handle = handles.open_tag(self._using(), text("tag", tag) or b"", lifetime)
        return self._client._settings(handle, None)  # type: ignore[attr-defined, no-any-return]

    @named_options
    def prefetch(self, tag: str | None = None) -> None:
        """Starts a refresh of these settings or of a tag in the background, so that later reads find fresh values.

        Sends no request while the values are fresh (`ttl`). Only subscribers are notified of the outcome. Raises
        ClosedError or UnavailableError, and InvalidArgumentError for an invalid tag.
        """
        if tag is None:
            super().prefetch()
        else:
            with self.tag(tag) as tagged:
                tagged.prefetch()

    def _asked(self: Self, key: str, tag: str | None) -> Self:
        """Returns these settings, or those of the tag. Raises TypeError for a key that is not a str."""
        if not isinstance(key, str):
            raise TypeError(f"key must be str, not {type(key).__name__}")
        return self if tag is None else self.tag(tag)


# `Settings.get` reads by the type of its default, so that a server that changes a type cannot surprise the program.


def read_as(kind: object, default: object) -> Read:
    """Returns the function that reads values of the type `kind`. None: the type of `default`, or any type.
    Raises TypeError for an unknown `kind`."""
    if kind is None:
        kind = next((known for known in READS if known != "url" and isinstance(default, known)), None)
    if kind is None:
        return _read_any
    read = read_of(kind)
    return lambda snapshot, key, default: read(snapshot, key, None, default)


def _read_any(snapshot: Snapshot, key: str, default: object) -> object:
    value = snapshot.get(key)
    return default if value is None else value


class Settings(Tagged, Source):
    """A dictionary of settings and the dictionaries of its tags.

    Use `get` to wait for fresh values with a time limit.
    """

    __slots__ = ()

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
    @named_options
    def get(
        self,
        key: str,
        default: Any = None,
        *,
        tag: str | None = None,
        timeout: float | None = NO_WAIT,
        type: Any = None,
    ) -> Any:
        """Returns the value of a key, or `default` if it is missing, null, or of another type.

        `type` is bool, int, float, str, list, dict, or "url" for an absolute URI. Without `type`, if `default` has one
        of these types, the value must have the same type. Numbers convert only if the conversion is exact.

        Without `tag` and `timeout`, `get` reads the live (current) dictionary and does not wait. With `tag` or
        `timeout`, it waits at most `timeout` seconds for fresh values, and otherwise reads the old values. A `timeout`
        of None, the default with a tag: only the limits of the client apply; 0: sends no request. Staged values are not
        returned. To learn why values are old, use `wait`.

        Raises no error because of the server, but TypeError or ValueError for wrong arguments, InvalidArgumentError for
        an invalid tag, and ClosedError.
        """
        read, asked = read_as(type, default), self._asked(key, tag)
        if tag is None and timeout is NO_WAIT:
            return read(self.snapshot(), key, default)
        try:
            return read(asked.wait(None if timeout is NO_WAIT else timeout), key, default)
        finally:
            if asked is not self:
                asked.close()
