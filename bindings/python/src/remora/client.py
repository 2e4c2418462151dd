# SPDX-License-Identifier: Apache-2.0
"""The client of the synchronous API, and the base class of both clients."""

from __future__ import annotations

import os
from _weakref import ref  # `weakref` has it too, and takes longer to import.

from ._ffi import handles
from ._ffi.constants import text as constant
from ._runtime.arguments import json_object, waiting_ms
from ._runtime.core import Core, Dispatching
from ._runtime.data import public_name
from ._runtime.dispatching import ThreadDispatching
from ._runtime.openings import SettingsType, SourceOpener, SourceType
from ._runtime.option_fields import config_fields, documented, header_lines, manner, takes
from ._runtime.options import ClientOptions, RefreshOptions
from ._runtime.receivers import DEBUG, EarlyReceiver, Receiver, Request, checked_callback, kept, log_level, log_line
from .errors import closed
from .events import FirstReceiver
from .source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, NoReturn, TypeVar

    from typing_extensions import Unpack

    from ._ffi import callbacks
    from ._ffi.calling import Handle
    from ._runtime.option_fields import SourceFields
    from ._runtime.options import Headers
    from .events import Event
    from .reports import Attempt, SourceInfo, SyncReport
    from .settings import Settings

    Self = TypeVar("Self", bound="Client")


class ClientBase(SourceOpener[SourceType, SettingsType]):
    """The base class of both clients. Deleting the last reference to a client and its sources closes the client."""

    __slots__ = ("__weakref__", "_core", "_storage_dir")

    def __init__(self, dispatching: Dispatching, storage_dir: str | os.PathLike[str], options: ClientOptions) -> None:
        if storage_dir is None:
            how = f"{public_name(self)}.in_memory() creates a client that stores nothing"
            raise TypeError(f"storage_dir must be a path, not None: {how}")
        logger, on_attempt = options.pop("logger", None), options.pop("on_attempt", None)
        transport, clock = options.pop("transport", None), options.pop("clock", None)
        fields = config_fields(storage_dir, options)
        self._storage_dir = os.fspath(storage_dir)
        attempts = None if on_attempt is None else EarlyReceiver(checked_callback(on_attempt), _read_attempt)
        if logger is not None:
            fields["log_level"] = log_level(logger)
        log = None if logger is None else EarlyReceiver(logger.log, log_line)
        for option, host in (("transport", transport), ("clock", clock)):
            if host is not None and not hasattr(host, "_add_to"):
                raise TypeError(f"{option} must be an object of remora.testing, not {type(host).__name__}")
        hosts = [host._add_to for host in (transport, clock) if host is not None]
        handle = handles.setup(fields, kept(log), kept(attempts), hosts)
        self._core = Core(handle, dispatching, logger, fields.get("log_level") == DEBUG)
        for receiver in (log, attempts):
            if receiver is not None:
                receiver.attach(self._core)
                self._core.start()

    def sources(self) -> list[SourceInfo]:
        """Returns the state of each open source, in the order of opening: for status pages. Raises ClosedError."""
        from ._ffi import notifying
        from .reports import info_from

        with self._core.using() as client:
            return notifying.sources(client, info_from)

    @takes(RefreshOptions)
    def sync_async(
        self,
        callback: Callable[[SyncReport], object],
        timeout: float | None = None,
        **options: Unpack[RefreshOptions],
    ) -> Request:
        """Starts a sync in the background. The callback receives the report.

        The timeout and the options are those of `sync`. The callback is called on the thread of the client's callbacks,
        after the events of the refreshes. It is not called if the client is closed first. After `Request.cancel`, the
        report has CancelledError for sources without an outcome. Raises ClosedError or UnavailableError, and TypeError
        or ValueError for a wrong argument.
        """
        return self._request_sync(checked_callback(callback), waiting_ms(timeout), manner(options))

    def _request_sync(
        self, callback: Callable[..., object], timeout_ms: int, how: Any, at_end: Callable[[], object] | None = None
    ) -> Request:
        from ._ffi import notifying
        from .reports import report_from

        receiver = Receiver(self._core, callback, lambda report: (report_from(report),), at_end)
        self._core.start()
        with self._core.using() as client:
            return Request(notifying.sync_async(client, how, timeout_ms, lambda: receiver))

    def _sync(self, timeout_ms: int, how: Any) -> SyncReport:
        """Syncs and waits. Raises an error if no report arrives: nothing was started, or the client is closed."""
        from ._ffi import notifying
        from ._runtime.threads import wait_undisturbed
        from .reports import report_from

        reports: list[SyncReport] = []
        with self._core.reporting(is_sync=True), self._core.using() as client:
            error = wait_undisturbed(
                "remora-sync",
                lambda _: notifying.sync(client, how, timeout_ms, lambda report: reports.append(report_from(report))),
                listener=lambda: None,
            )
        if not reports:
            raise error or closed("client")
        return reports[0]

    def set_headers(self, headers: Headers | None) -> None:
        """Replaces the option `headers` for the requests that start from now on. None: no headers.

        Use it when a token was renewed. Running requests keep their headers. If a server has refused the earlier
        headers with status 401 or 403 and asked for a pause, the pause ends. Does not wait. Raises InvalidArgumentError
        or ClosedError, and TypeError or ValueError for a wrong argument. After an error, the headers are unchanged.
        """
        lines = [] if headers is None else header_lines("headers", headers)
        with self._core.using() as client:
            handles.set_headers(client, lines)

    def _set_context(self, text: bytes | None) -> None:
        with self._core.using() as client:
            handles.set_context(client, text)

    @property
    def closed(self) -> bool:
        """Whether the client was closed."""
        return self._core.is_closed

    def __repr__(self) -> str:
        return f"<{public_name(self)} storage_dir={self._storage_dir!r} {'closed' if self.closed else 'open'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client cannot be pickled or copied: create one in the other process")

    def __del__(self) -> None:
        if hasattr(self, "_core"):  # Missing if creating it failed.
            self._core.abandon()

    def _opened(
        self, fields: SourceFields, on_event: Callable[[Event], object] | None
    ) -> tuple[Handle, FirstReceiver | None]:
        receiver = find = None
        if on_event is not None:
            receiver = FirstReceiver(self._core, checked_callback(on_event))
            find = ref(receiver)
            self._core.start()
        with self._core.using() as client:
            return handles.open_source(client, fields.kind, fields.own, fields.opening, find), receiver


MEMORY: str = constant("REMORA_STORAGE_MEMORY")
"""The `storage_dir` of a client that keeps everything in memory."""


def _read_attempt(attempt: callbacks.Attempt) -> tuple[Attempt]:
    from .reports import attempt_from  # Later: most programs do not use them.

    return (attempt_from(attempt),)


class Client(ClientBase["Source", "Settings"]):
    """A remote-settings client, which owns a storage directory and opens sources. Most programs create one.

    Options (None means the default, and durations are in seconds):

    - storage_dir: the directory for fetched data, which is created if it does not exist. `in_memory` needs none.
    - dispatch: "thread" calls callbacks on one daemon thread of this client, "remora-dispatch", which starts when the
      first callback is registered. "manual" calls them only inside the method `dispatch`, on the calling thread.
    - others: see `ClientOptions`.

    Creating a client sends no request. The library's own threads run no Python code, except that of a `transport`.
    Raises InvalidArgumentError, or StorageError if `storage_dir` is not a directory. If the directory cannot be
    written, the client keeps its data in memory: see `SourceInfo.storage_error`.
    """

    __slots__ = ("_is_manual",)

    @takes(ClientOptions)
    def __init__(
        self,
        storage_dir: str | os.PathLike[str],
        *,
        dispatch: Literal["thread", "manual"] = "thread",
        **options: Unpack[ClientOptions],
    ) -> None:
        if dispatch not in ("thread", "manual"):
            raise ValueError('dispatch must be "thread" or "manual"')
        self._is_manual = dispatch == "manual"
        super().__init__(Dispatching() if self._is_manual else ThreadDispatching(), storage_dir, options)

    @classmethod
    @takes(ClientOptions)
    def in_memory(
        cls: type[Self], *, dispatch: Literal["thread", "manual"] = "thread", **options: Unpack[ClientOptions]
    ) -> Self:
        """Creates a client that keeps everything in memory, such as for tests. The options are those of `Client`."""
        return cls(MEMORY, dispatch=dispatch, **options)

    @takes(RefreshOptions)
    def sync(self, timeout: float | None = None, **options: Unpack[RefreshOptions]) -> SyncReport:
        """Refreshes the sources that have changed on their servers, and waits until their data is live.

        Use it at start-up or once per day for all sources. Requests the monitor (the list of collections) of each
        server, and then each changed source. If a source fails, the others are still refreshed, and no exception is
        raised: see `SyncReport.raise_for_failures`.

        - timeout: the caller's own limit in seconds, after which sources without an outcome fail with TimeoutError.
          None: only the limits of the client apply. 0: sends no request.
        - others: see `RefreshOptions`.

        Blocks the calling thread, while other threads can run. Ctrl-C takes effect when the call returns. Raises only
        if no report exists: ClosedError, UnavailableError, and TypeError or ValueError for a wrong argument.
        """
        return self._sync(waiting_ms(timeout), manner(options))

    def set_context(self, context: Mapping[str, object] | None) -> None:
        """Sets the attributes with which the filters of records are evaluated. None: no attributes.

        A record whose `filter_expression` is not true in this context is hidden from reads, snapshots and events. The
        members `app_id`, `app_version`, `channel`, `locale`, `country`, `form_factor`, `os` and `os_version` are
        strings, and `preferences` is a mapping. Filters read any other member as `env.<name>`. docs/filters.md
        describes the language.

        When it returns, all open sources have been filtered again. Events with the cause CONTEXT report the changes.
        Sends no request. Blocks for milliseconds: waits for the running job of the thread `remora-engine`, and
        evaluates the filters. Raises InvalidArgumentError or ClosedError, and TypeError or ValueError if the context
        cannot be written as JSON.
        """
        self._set_context(json_object("context", context))

    def fileno(self) -> int:
        """Returns a descriptor for select, poll and epoll. It is readable while callbacks are queued for `dispatch`.

        Do not read from it. Remove it from your loop before `close`, and call `fileno` again after a fork. Raises
        RuntimeError for a client without dispatch="manual".
        """
        self._require_manual("fileno")
        self._core.start()
        with self._core.using() as client:
            return handles.descriptor(client)

    def dispatch(self) -> int:
        """Runs the queued callbacks on this thread, and returns their number.

        If a callback raises KeyboardInterrupt or SystemExit, `dispatch` raises it too. Other exceptions are reported to
        the logger. Raises BusyError if another call of `dispatch` is running, ClosedError, and RuntimeError for a
        client without dispatch="manual".
        """
        self._require_manual("dispatch")
        return self._core.dispatch()

    def close(self) -> None:
        """Closes the client. Requests end within 200 ms, and waiting calls return or raise ClosedError.

        Waits until a callback and a `sync` on other threads have returned, and writes the queued log lines. No
        callback is called afterwards. Snapshots remain readable. A second call does nothing. Inside a callback, `close`
        does not wait: it takes full effect when the callback returns. If an exception of a signal handler ends the
        wait, the client is still open: call `close` again.
        """
        self._core.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _source(self, handle: Handle, first: FirstReceiver | None) -> Source:
        return Source(self, self._core, handle, first)

    def _settings(self, handle: Handle, first: FirstReceiver | None) -> Settings:
        from .settings import Settings

        return Settings(self, self._core, handle, first)

    def _require_manual(self, name: str) -> None:
        if not self._is_manual:
            raise RuntimeError(f'{name} is for clients that are created with dispatch="manual"; this one has a thread')


Client.__doc__ = documented(Client.__doc__, ClientOptions)
