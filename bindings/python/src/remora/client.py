# SPDX-License-Identifier: Apache-2.0
#
# The client for programs that wait, and the base that it shares with the one for asyncio.
"""Clients."""

from __future__ import annotations

import weakref

from ._ffi import handles
from ._ffi.registry import register
from ._runtime.arguments import expected_ms, json_object, waiting_ms
from ._runtime.core import Core, Dispatching
from ._runtime.options import client_fields, collection_fields
from ._runtime.receivers import EarlyReceiver, Receiver, Request, checked_callback, log_level, log_line, number_of
from ._runtime.threads import ThreadDispatching, wait_undisturbed
from .errors import closed
from .events import FirstReceiver
from .reports import attempt_from, info_from, report_from
from .source import Source
from .values import public_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from logging import Logger
    from typing import Literal, NoReturn

    from typing_extensions import Unpack

    from ._ffi import structures
    from ._ffi.calling import Handle
    from ._runtime.options import ClientOptions, CollectionOptions, SourceFields
    from .bundle import BundleOptions
    from .events import Event
    from .reports import Attempt, SourceInfo, SyncReport
    from .settings import Settings, SettingsOptions


class ClientBase:
    """Owns the library's client: closed by `close`, or with the last reference to it and to its sources."""

    __slots__ = ("__weakref__", "_core")

    def __init__(
        self,
        dispatching: Dispatching,
        storage_dir: str | os.PathLike[str] | None,
        logger: Logger | None,
        on_attempt: Callable[[Attempt], object] | None,
        options: ClientOptions,
    ) -> None:
        fields = client_fields(storage_dir, **options)
        attempts = None if on_attempt is None else EarlyReceiver(checked_callback(on_attempt), _read_attempt)
        if logger is not None:
            if not callable(getattr(logger, "isEnabledFor", None)):
                raise TypeError(f"logger must be a logging.Logger, not {type(logger).__name__}")
            fields["log_level"] = log_level(logger)
        log = None if logger is None else EarlyReceiver(logger.log, log_line)
        self._core = Core(handles.setup(fields, number_of(log), number_of(attempts)), dispatching, logger)
        for receiver in (log, attempts):
            if receiver is not None:
                receiver.attach(self._core)
                self._core.start()

    def sources(self) -> list[SourceInfo]:
        """The states of the open sources, in the order of opening: for status pages. Raises ClosedError."""
        with self._core.using() as client:
            return handles.sources(client, info_from)

    def sync_async(
        self,
        callback: Callable[[SyncReport], object],
        timeout: float | None = None,
        *,
        expected_version: int | None = None,
    ) -> Request:
        """Starts a sync, as `sync`, and returns; the callback receives the report.

        It is called where the client's callbacks run, after the events of the refreshes; not at all if the client is
        closed before. Sources without an outcome fail with TimeoutError after `timeout` seconds, and with CancelledError
        when the request is cancelled. Raises ClosedError or UnavailableError, and TypeError or ValueError for a wrong
        argument.
        """
        return self._request_sync(checked_callback(callback), waiting_ms(timeout), expected_ms(expected_version))

    def _request_sync(
        self,
        callback: Callable[..., object],
        timeout_ms: int,
        expected: int,
        at_end: Callable[[], object] | None = None,
    ) -> Request:
        receiver = Receiver(self._core, callback, lambda told: (report_from(told),), at_end)
        self._core.start()
        how = handles.manner(expected_version=expected)
        with self._core.using() as client:
            return Request(handles.sync_async(client, how, timeout_ms, register(lambda: receiver)))

    def _sync(self, timeout_ms: int, expected: int) -> SyncReport:
        """Syncs and waits. Raises when there is no report: nothing was started, or the client is closed."""
        reports: list[SyncReport] = []
        with self._core.using() as client:
            error = wait_undisturbed(
                "remora-sync",
                lambda _: handles.sync(
                    client,
                    handles.manner(expected_version=expected),
                    timeout_ms,
                    lambda told: reports.append(report_from(told)),
                ),
                tell=lambda: None,
            )
        if not reports:
            raise error or closed("client")
        return reports[0]

    def _set_context(self, text: bytes | None) -> None:
        with self._core.using() as client:
            handles.set_context(client, text)

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._core.is_closed

    def __repr__(self) -> str:
        return f"<{public_name(self)} {'closed' if self.closed else 'open'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client cannot be pickled or copied: make one in the other process")

    def __del__(self) -> None:
        # Missing when making it failed.
        if hasattr(self, "_core"):
            self._core.abandon()

    def _open_collection(
        self, name: str, on_event: Callable[[Event], object] | None, options: CollectionOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """A collection's handle, and its first subscriber, which lives as long as somebody keeps it."""
        return self._opened(collection_fields(name, **options), on_event)

    def _open_bundle(
        self, url: str | None, on_event: Callable[[Event], object] | None, options: BundleOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """As `_open_collection`, a bundle's."""
        from .bundle import bundle_fields  # Later: most programs have none.

        return self._opened(bundle_fields(url, **options), on_event)

    def _open_settings(
        self, url: str | None, on_event: Callable[[Event], object] | None, options: SettingsOptions
    ) -> tuple[Handle, FirstReceiver | None]:
        """As `_open_collection`, that of settings."""
        from .settings import settings_fields  # Later: most programs have none.

        return self._opened(settings_fields(url, **options), on_event)

    def _opened(
        self, fields: SourceFields, on_event: Callable[[Event], object] | None
    ) -> tuple[Handle, FirstReceiver | None]:
        receiver = number = None
        if on_event is not None:
            receiver = FirstReceiver(self._core, checked_callback(on_event))
            self._core.start()
        with self._core.using() as client:
            if receiver is not None:
                number = register(weakref.ref(receiver))
            return handles.open_source(client, fields.kind, fields.own, fields.opening, number), receiver


def _read_attempt(told: structures.Attempt) -> tuple[Attempt]:
    return (attempt_from(told),)


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
        handle, receiver = self._open_collection(name, on_event, options)
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
        from .settings import Settings, Tags  # Later: most programs have none.

        handle, receiver = self._open_settings(url, on_event, options)
        return Settings(self, self._core, handle, receiver, Tags(self.settings, url, options))

    def sync(self, timeout: float | None = None, *, expected_version: int | None = None) -> SyncReport:
        """Refreshes the sources that moved, by a request to the monitor of each server, and waits until they are live.

        A source that fails stops no other and raises nothing: the report tells, and `raise_for_failures` raises it.
        `timeout` is the caller's own limit in seconds: None leaves it to the limits of the client, 0 starts nothing.
        Sources that have no outcome by then have failed with TimeoutError. Raises only when there is no report:
        ClosedError, UnavailableError, and TypeError or ValueError for a wrong argument. Other threads run meanwhile;
        Ctrl-C takes effect when it returns.

        `expected_version` is the timestamp of a push message, in milliseconds since 1970. It is sent to the monitor, so
        that no cache answers with an older list.
        """
        return self._sync(waiting_ms(timeout), expected_ms(expected_version))

    def set_context(self, context: Mapping[str, object] | None) -> None:
        """Tells what filters know of the application; None is nothing.

        Records of collections whose `filter_expression` is not true in this context are hidden: from reads, snapshots
        and events. The members `app_id`, `app_version`, `channel`, `locale`, `country`, `form_factor`, `os` and
        `os_version` are strings, `preferences` is a mapping, any other is `env.<name>`; docs/filters.md has the
        language. When it returns every open source is filtered anew; subscribers are told what changed, cause CONTEXT.
        Sends no request. Waits for the job of the engine thread that is running and for evaluating the filters:
        milliseconds. Raises InvalidArgumentError, ClosedError; TypeError or ValueError for what is no JSON.
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
