# SPDX-License-Identifier: Apache-2.0
"""Settings for asyncio: a `get` with `tag` or `timeout` is awaited, any other is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._runtime.arguments import named_options
from ..settings import NO_WAIT, Tagged, read_as
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Literal, TypeVar

    from .._runtime.data import JSON
    from ..settings import Read

    T = TypeVar("T")
    V = TypeVar("V", bool, int, float, str, "list[Any]", "dict[str, Any]")
    R = TypeVar("R")
    Awaiting = Coroutine[Any, Any, R]


class Settings(Tagged, Source):
    """A `remora.Settings` for asyncio: a `get` with `tag` or `timeout` is awaited."""

    __slots__ = ()

    # mypy reports the awaited forms as incompatible with those of a mapping, which come first and are unchanged.
    @overload  # type: ignore[override]
    def get(self, key: str, default: None = None) -> JSON: ...
    @overload
    def get(self, key: str, default: V) -> V: ...
    @overload
    def get(self, key: str, default: T) -> JSON | T: ...
    @overload
    def get(self, key: str, default: T, *, type: Literal["url"]) -> str | T: ...
    @overload
    def get(self, key: str, default: None = None, *, type: Literal["url"]) -> str | None: ...
    @overload
    def get(self, key: str, default: T, *, type: type[V]) -> V | T: ...
    @overload
    def get(self, key: str, default: None = None, *, type: type[V]) -> V | None: ...
    @overload
    def get(self, key: str, default: None = None, *, tag: str, timeout: float | None = None) -> Awaiting[JSON]: ...
    @overload
    def get(self, key: str, default: None = None, *, tag: None = None, timeout: float | None) -> Awaiting[JSON]: ...
    @overload
    def get(self, key: str, default: V, *, tag: str, timeout: float | None = None) -> Awaiting[V]: ...
    @overload
    def get(self, key: str, default: V, *, tag: None = None, timeout: float | None) -> Awaiting[V]: ...
    @overload
    def get(self, key: str, default: T, *, tag: str, timeout: float | None = None) -> Awaiting[JSON | T]: ...
    @overload
    def get(self, key: str, default: T, *, tag: None = None, timeout: float | None) -> Awaiting[JSON | T]: ...
    @overload
    def get(
        self, key: str, default: T, *, type: Literal["url"], tag: str, timeout: float | None = None
    ) -> Awaiting[str | T]: ...
    @overload
    def get(
        self, key: str, default: T, *, type: Literal["url"], tag: None = None, timeout: float | None
    ) -> Awaiting[str | T]: ...
    @overload
    def get(
        self, key: str, default: None = None, *, type: Literal["url"], tag: str, timeout: float | None = None
    ) -> Awaiting[str | None]: ...
    @overload
    def get(
        self, key: str, default: None = None, *, type: Literal["url"], tag: None = None, timeout: float | None
    ) -> Awaiting[str | None]: ...
    @overload
    def get(
        self, key: str, default: T, *, type: type[V], tag: str, timeout: float | None = None
    ) -> Awaiting[V | T]: ...
    @overload
    def get(
        self, key: str, default: T, *, type: type[V], tag: None = None, timeout: float | None
    ) -> Awaiting[V | T]: ...
    @overload
    def get(
        self, key: str, default: None = None, *, type: type[V], tag: str, timeout: float | None = None
    ) -> Awaiting[V | None]: ...
    @overload
    def get(
        self, key: str, default: None = None, *, type: type[V], tag: None = None, timeout: float | None
    ) -> Awaiting[V | None]: ...
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
        """Returns the value of a key, as `remora.Settings.get`. With `tag` or `timeout` it returns an awaitable.

            limit = settings.get("limit", default=10)
            brush = await settings.get("brush", tag="editor", timeout=2.0, default=3)

        Cancelling the task cancels the request, unless other callers wait for the same refresh. If the client or the
        source is closed meanwhile, `get` reads the dictionary that was live at the call.
        """
        read = read_as(type, default)
        if tag is None and timeout is NO_WAIT:
            return read(self._asked(key, None).snapshot(), key, default)
        return self._get_waiting(read, key, default, tag, None if timeout is NO_WAIT else timeout)

    async def _get_waiting(self, read: Read, key: str, default: Any, tag: str | None, timeout: float | None) -> Any:
        asked = self._asked(key, tag)
        try:
            return read(await asked.wait(timeout), key, default)
        finally:
            if asked is not self:
                asked.close()
