# SPDX-License-Identifier: Apache-2.0
#
# The tags of settings: dictionaries of their own, which are opened at their first use and end with their settings.
# There is no lock, because a child that was forked while another thread held it could never take it.
"""Tags of settings."""

from __future__ import annotations

from ._source_base import SourceBase
from .errors import closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ._settings import SettingsOptions

    Self = TypeVar("Self", bound="Tagged")


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


class Tagged(SourceBase):
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
