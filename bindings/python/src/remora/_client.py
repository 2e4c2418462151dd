# SPDX-License-Identifier: Apache-2.0
"""Clients for programs that wait."""

from __future__ import annotations

from ._arguments import json_object, waiting_ms
from ._client_base import ClientBase
from ._dispatching import Dispatching, ThreadDispatching
from ._ffi import handles
from ._source import Source
from ._sync import SyncReport, announced_ms, sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from logging import Logger
    from typing import Literal

    from typing_extensions import Unpack

    from ._attempts import Attempt
    from ._bundle import BundleOptions
    from ._config import ClientOptions, CollectionOptions
    from ._events import Event
    from ._settings import SettingsOptions
    from ._settings_source import Settings


class Client(ClientBase):
    """A remote-settings client: owns a storage directory and the sources that are opened from it. Usually one per program.

    `storage_dir` is made when it is missing; None keeps everything in memory. The options are those of
    `ClientOptions`. Messages of the library go to `logger`, down to the level that it lets through; without one the
    library is silent. `on_attempt` is told what every attempt to refresh came to, and cost: for telemetry.

    Callbacks run on one daemon thread of this client, "remora-dispatch", which starts with the first of them; with
    `dispatch="manual"` they run inside `dispatch`, on the thread that calls it. Log lines that are still queued at `close`
    are written inside that call. No thread of the library ever runs Python.

    Making a client sends no request. Raises InvalidArgumentError, StorageError or PermissionError.
    """

    __slots__ = ("_is_manual",)

    def __init__(
        self,
        storage_dir: str | os.PathLike[str] | None,
        *,
        logger: Logger | None = None,
        on_attempt: Callable[[Attempt], object] | None = None,
        dispatch: Literal["thread", "manual"] = "thread",
        **options: Unpack[ClientOptions],
    ) -> None:
        if dispatch not in ("thread", "manual"):
            raise ValueError('dispatch must be "thread" or "manual"')
        self._is_manual = dispatch == "manual"
        dispatching = Dispatching() if self._is_manual else ThreadDispatching()
        super().__init__(dispatching, storage_dir, logger, on_attempt, options)

    def collection(
        self, name: str, *, on_event: Callable[[Event], object] | None = None, **options: Unpack[CollectionOptions]
    ) -> Source:
        """Opens a collection and makes its newest local data live, cached or packaged. Sends no request.

        The options are those of `CollectionOptions`. `on_event` is a first subscriber, told the state at open before
        anything fetched, as long as the source is kept. Waits for file system calls. Raises InvalidArgumentError,
        ClosedError; for packaged data StorageError, ParseError, FormatError or TooLargeError.
        """
        handle, receiver = self._open(name, on_event, options)
        return Source(self, self._core, handle, receiver)

    def bundle(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[BundleOptions],
    ) -> Source:
        """Opens a bundle, a versioned document of namespaces at a URL, and makes the cached one live, or its default.

        Then begins a refresh, for which nobody waits, unless `fetch_at_open` is False. Without a URL a bundle is its default
        and its overrides. The keys are the namespaces; docs/bundles.md has what they inherit. The options are those of
        `BundleOptions`; `on_event` is a first subscriber, as in `collection`, which is told the state at open unless
        there is none. Waits for file system calls. Raises InvalidArgumentError, ClosedError; for the default
        ParseError, FormatError or TooLargeError.
        """
        handle, receiver = self._open_bundle(url, on_event, options)
        return Source(self, self._core, handle, receiver)

    def settings(
        self,
        url: str | None = None,
        *,
        on_event: Callable[[Event], object] | None = None,
        **options: Unpack[SettingsOptions],
    ) -> Settings:
        """Opens settings, a dictionary of keys and values at a URL, and makes the cached ones live, or else what is packaged.

        Then begins a refresh, for which nobody waits, unless `fetch_at_open` is False: what it brings is live from the next
        client on, or as `activation` says. The url is http or https; without one it is the library's default. The options
        are those of `SettingsOptions`; `on_event` is a first subscriber, as in `collection`. Waits for file system calls.
        Raises InvalidArgumentError, ClosedError; for packaged data StorageError, ParseError, FormatError or TooLargeError.
        """
        from ._settings_source import Settings  # Later: most programs have none.
        from ._tags import Tags

        handle, receiver = self._open_settings(url, on_event, options)
        return Settings(self, self._core, handle, receiver, Tags(self.settings, url, options))

    def sync(self, timeout: float | None = None, *, announced: int | None = None) -> SyncReport:
        """Refreshes the sources that moved, by a request to the monitor of each server, and waits until they are live.

        A source that fails stops no other and raises nothing: the report tells, and `raise_for_failures` raises it.
        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing.
        Sources that have no outcome by then have failed with TimeoutError. Raises only when there is no report:
        ClosedError, UnavailableError, and TypeError or ValueError for a wrong argument. Other threads run meanwhile;
        Ctrl-C takes effect when it returns.

        `announced` is the timestamp of a push message, in milliseconds since 1970. It is sent to the monitor, so that no
        cache answers with a list from before the push.
        """
        return sync(self._core, waiting_ms(timeout), announced_ms(announced))

    def set_context(self, context: Mapping[str, object] | None) -> None:
        """Tells what filters know of the application; None is nothing.

        Records of collections whose `filter_expression` is not true in this context are hidden: from reads, snapshots
        and events. The members `app_id`, `app_version`, `channel`, `locale`, `country`, `form_factor`, `os` and
        `os_version` are strings, `preferences` is a mapping, any other is `env.<name>`; docs/filters.md has the
        language. When it returns every open source is filtered anew; subscribers are told what changed, cause CONTEXT.
        Sends no request; waits for the worker and for evaluating the filters, milliseconds. Raises
        InvalidArgumentError, ClosedError; TypeError or ValueError for what is no JSON.
        """
        self._set_context(json_object("context", context))

    def fileno(self) -> int:
        """The descriptor that is readable when callbacks wait for `dispatch`: for select, poll and epoll.

        Only wait for it. Take it out of the loop before `close`; ask again after a fork. Only with dispatch="manual".
        """
        self._require_manual("fileno")
        self._core.start()
        with self._core.using() as client:
            return handles.descriptor(client)

    def dispatch(self) -> int:
        """Runs the callbacks that wait, and tells how many they were. Only with dispatch="manual".

        Ctrl-C and SystemExit leave it; other exceptions of a callback do not. Raises BusyError when another thread, or
        the calling callback, is inside of it; ClosedError.
        """
        self._require_manual("dispatch")
        return self._core.dispatch()

    def close(self) -> None:
        """Ends the client: requests end within 200 ms, waits raise ClosedError, no callback begins afterwards.

        Log lines that are already queued are written before it returns.
        Waits for a callback, and for a `sync`, that is running on another thread. Snapshots read on. A second time it does nothing;
        inside a callback it returns at once, and takes full effect when that callback returns.
        """
        self._core.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _require_manual(self, name: str) -> None:
        if not self._is_manual:
            raise RuntimeError(f'{name} is for clients made with dispatch="manual"; this one has a thread')
