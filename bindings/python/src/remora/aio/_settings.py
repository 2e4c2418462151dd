# SPDX-License-Identifier: Apache-2.0
"""Settings for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from .._settings_source import NO_WAIT
from .._tags import Tagged, Tags
from ._source import Source

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import TypeVar

    from .._core import Core
    from .._ffi.calling import Handle
    from .._json import JSON
    from .._receivers import FirstReceiver
    from ._dispatching import LoopDispatching

    T = TypeVar("T")


class Settings(Tagged, Source):
    """As `remora.Settings`: a `get` with `tag` or `timeout` waits, and is awaited."""

    __slots__ = ("_tags",)

    def __init__(
        self,
        client: object,
        core: Core,
        handle: Handle,
        receiver: FirstReceiver | None,
        dispatching: LoopDispatching,
        tags: Tags,
    ) -> None:
        super().__init__(client, core, handle, receiver, dispatching)
        self._tags = tags

    @overload
    def get(self, key: str, default: None = None) -> JSON: ...
    @overload
    def get(self, key: str, default: T) -> JSON | T: ...
    @overload
    def get(
        self, key: str, default: None = None, *, tag: str, timeout: float | None = None
    ) -> Coroutine[Any, Any, JSON]: ...
    @overload
    def get(
        self, key: str, default: None = None, *, tag: None = None, timeout: float | None
    ) -> Coroutine[Any, Any, JSON]: ...
    @overload
    def get(self, key: str, default: T, *, tag: str, timeout: float | None = None) -> Coroutine[Any, Any, JSON | T]: ...
    @overload
    def get(self, key: str, default: T, *, tag: None = None, timeout: float | None) -> Coroutine[Any, Any, JSON | T]: ...
    def get(self, key: str, default: Any = None, *, tag: str | None = None, timeout: float | None = NO_WAIT) -> Any:
        """As `remora.Settings.get`: with `tag` or `timeout` to be awaited, without them at once, as for every mapping.

            limit = settings.get("limit", default=10)
            brush = await settings.get("brush", tag="editor", timeout=2.0, default=3)

        Cancelling the task cancels the request, unless others wait for it. The end of client or source gives what was live
        at the call.
        """
        if tag is None and timeout is NO_WAIT:
            value = super().get(key)
            return default if value is None else value
        return self._get_waiting(key, default, tag, None if timeout is NO_WAIT else timeout)

    async def _get_waiting(self, key: str, default: Any, tag: str | None, timeout: float | None) -> Any:
        value = (await self._asked(key, tag).wait(timeout)).get(key)
        return default if value is None else value
