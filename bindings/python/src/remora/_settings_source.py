# SPDX-License-Identifier: Apache-2.0
"""Settings for programs that wait."""

from __future__ import annotations

from ._source import Source
from ._tags import Tagged, Tags
from ._typed_get import read_as
from ._typing import overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar

    from ._core import Core
    from ._ffi.calling import Handle
    from ._json import JSON
    from ._receivers import FirstReceiver

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")

NO_WAIT: Any = object()
"""Stands for a limit that was not given."""


class Settings(Tagged, Source):
    """A dictionary of settings, and those of its tags: a `Source` whose `get` may wait."""

    __slots__ = ("_tags",)

    def __init__(self, client: object, core: Core, handle: Handle, receiver: FirstReceiver | None, tags: Tags) -> None:
        super().__init__(client, core, handle, receiver)
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
        self, key: str, default: None = None, *, type: Literal["url"], tag: str | None = None, timeout: float | None = ...
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
