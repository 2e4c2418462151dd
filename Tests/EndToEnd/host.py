# SPDX-License-Identifier: Apache-2.0
#
# A host program that uses the Python binding. It holds one client, its sources and one kept snapshot, and answers the
# commands of a Driver. What it does not define itself is a method of the source that was opened last, or of the client.
"""The program that the tests run as a host."""

from __future__ import annotations

import ctypes
import logging
import os
import socket
import sys
import threading
import time
import zlib
from enum import Enum
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NoReturn

import remora

OK, NOTHING = "REMORA_OK", "nothing"
LIMIT = 60.0
"""Seconds after which a wait without another limit fails."""

Answer = dict[str, Any]

# All is imported before a host is forked, so that hosts start quickly and their memory does not grow by imports.
PUBLIC = [getattr(remora, name) for name in remora.__all__]

MEMBERS: dict[type, str] = {
    logging.LogRecord: "levelno message",
    remora.Change: "key old new kind",
    remora.CollectionRecord: "fields",
    remora.Event: (
        "cause outcome origin version changes staged new_experiments configuration error storage_error freshness"
        " old_freshness"
    ),
    remora.Configuration: "state namespaces",
    remora.Experiment: "name variant trackable settings",
    remora.Namespace: "name in_bundle is_default origin",
    remora.Snapshot: "origin verified version fetched_at",
    remora.SourceInfo: (
        "checked_at checked_age retry_after filter_failures version has_staged last_error storage_error freshness"
    ),
    remora.SyncItem: "source_name server outcome",
    remora.SyncReport: "total updated unchanged staged failed items",
}
RESULTS = (remora.Snapshot, remora.SyncItem, remora.SyncReport)
"""Classes whose member `error` is the status of an answer."""


def members(value: Any, names: str) -> Answer:
    return {name: plain(getattr(value, name)) for name in names.split()}


def plain(value: Any) -> Any:
    """Returns what a pipe can carry: objects as dictionaries, and members of enumerations by their names."""
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    if isinstance(value, remora.Error):
        return {"status": value.name, **members(value, "message http_status retry_after")}
    if type(value) not in MEMBERS:
        return value
    answer = members(value, MEMBERS[type(value)])
    if isinstance(value, remora.Snapshot):
        answer.update(text=value.json(), count=len(value))
    if isinstance(value, RESULTS):
        answer.update({"status": OK} if value.error is None else plain(value.error))
    return answer


class Host:
    """One client and what was opened from it. Callbacks put what they receive into queues."""

    def __init__(self) -> None:
        self._queues: dict[str, SimpleQueue[Any]] = {name: SimpleQueue() for name in ("events", "completions", "log")}
        self._client: Any = None
        self._sources: list[Any] = []
        self._subscription: Any = None

    def answer(self, command: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Answer:
        """Runs a command; returns the result, or the status and message of an error, and how long it took."""
        start = time.monotonic()
        try:
            owner = next(one for one in (self, *self._sources[-1:], self._client) if hasattr(one, command))
            answer = plain(getattr(owner, command)(*arguments, **options))
        except remora.Error as error:
            answer = plain(error)
        except Empty:
            answer = {"status": NOTHING}
        except ValueError as error:
            answer = {"status": "ValueError", "message": str(error)}
        if not isinstance(answer, dict):
            answer = {"value": answer}
        return {"status": OK, **answer, "elapsed_ms": (time.monotonic() - start) * 1000}

    # The client

    def setup(self, storage: Path | str, *, log: int | None = None, **options: Any) -> None:
        """Creates the client; `log` is the level of the logger, which is Python's."""
        logger = None if log is None else logging.Logger("host", log)
        if logger is not None:
            logger.addHandler(QueueHandler(self._queues["log"]))
        self._client = remora.Client(storage, application_name="e2e-host", logger=logger, **options)

    def open(self, kind: str, *arguments: Any, on_event: bool = False, **options: Any) -> None:
        """Opens a source. Those that were opened before stay open."""
        listener = {"on_event": self._queues["events"].put} if on_event else {}
        self._sources.append(getattr(self._client, kind)(*arguments, **listener, **options))

    def close(self) -> None:
        """Closes the client."""
        if self._client is not None:
            self._client.close()

    def preconnect(self, url: str) -> None:
        remora.preconnect(url, application_name="e2e")

    # The last source

    def begin_refresh(self, **options: Any) -> None:
        """Starts a refresh, which ends in a completion. That has an outcome even if the refresh fails."""
        complete = self._queues["completions"].put
        self._request = self._sources[-1].refresh_async(lambda *ends: complete(_end(*ends)), **options)

    def begin_wait(self, timeout: float | None = None) -> None:
        """Starts a wait, which ends in a completion."""
        self._request = self._sources[-1].wait_async(self._queues["completions"].put, timeout)

    def on_thread(self, *command: Any) -> None:
        """Runs a command on another thread; the answer is a completion."""
        complete = self._queues["completions"].put
        threading.Thread(target=lambda: complete(self.answer(command[0], command[1:], {})), daemon=True).start()

    def cancel(self) -> None:
        """Cancels what was started last."""
        self._request.cancel()

    def take(self, queue: str, seconds: float = LIMIT) -> Any:
        """Waits for an event, a completion or a line of the log, and returns the oldest."""
        return self._queues[queue].get(timeout=seconds)

    def subscribe(self, key: str | None = None, *, busy: bool = False) -> None:
        """Subscribes in place of the last subscription; `busy` does in the callback all that a callback may do."""
        self.unsubscribe()
        callback = self._be_busy if busy else self._queues["events"].put
        self._subscription = self._sources[-1].subscribe(callback, key)

    def unsubscribe(self) -> None:
        if self._subscription is not None:
            self._subscription.close()

    def _be_busy(self, event: remora.Event) -> None:
        source = self._sources[-1]
        timeout = source.get_int("A", "/sessionConfiguration/foregroundTimeout", -1)
        self._queues["events"].put({**plain(event), "read": timeout, "namespaces": plain(source.namespaces(event.new))})
        self.begin_refresh()
        self.unsubscribe()

    def require(self, kind: str, key: str) -> Any:
        """Reads a value that must exist: the status is the reason that it does not."""
        return getattr(self._sources[-1].snapshot(), f"get_{kind}")(key)

    def value(self, key: str) -> Answer:
        return {"value": self._sources[-1][key]}

    def hold(self) -> None:
        """Keeps the live snapshot."""
        self._held: remora.Snapshot = self._sources[-1].snapshot()

    def held(self, key: str, pointer: str) -> Any:
        """Reads a value of the kept snapshot."""
        return self._held.at(key, pointer)

    def experiments(self) -> list[remora.Experiment]:
        return list(self._sources[-1].experiments.values())

    def override(self, key: str, pointer: str, value: object) -> None:
        self._sources[-1].overrides[key, pointer] = value

    def clear_override(self, key: str, pointer: str) -> None:
        del self._sources[-1].overrides[key, pointer]

    def close_source(self) -> None:
        self._sources.pop().close()

    def attachment(
        self, record: str | None = None, timeout: float = LIMIT, *, location: str | None = None, held: bool = False,
        unread: bool = False, **options: Any,
    ) -> Answer:  # fmt: skip
        """Opens an attachment of the live or the kept snapshot; returns its description and the reported progress."""
        calls: list[tuple[int, int]] = []
        options["progress"] = lambda *numbers: calls.append(numbers)
        if record is None:
            opened = self._sources[-1].open_attachment(location, timeout, **options)
        else:
            described = (self._held if held else self._sources[-1]).record(record).attachment
            if described is None:
                return {"attachment": None}
            opened = described.open(timeout, **options)
        checksum = None if unread else zlib.crc32(opened.data)
        return {"size": opened.size, "path": opened.path, "checksum": checksum, "progress": calls}


def _end(outcome: remora.Outcome, error: remora.Error | None) -> Answer:
    return {**(plain(error) or {}), "outcome": plain(outcome)}


def serve(pipe: Connection) -> NoReturn:
    """Answers commands until "exit", or until the test closes its end of the pipe and the host closes its client."""
    host = Host()
    try:
        while (command := pipe.recv())[0] != "exit":
            pipe.send(host.answer(*command))
        pipe.send({"status": OK})
    except (EOFError, ConnectionError):
        host.close()
    ctypes.CDLL(None).exit(0)  # As a C program returns from main: without the interpreter's clean-up.
    raise AssertionError("exit returned")


def fork_hosts(control: socket.socket) -> None:
    """Forks a host for each pipe that is received with the file of its clock, and waits for each number of a
    process."""
    while message := (received := socket.recv_fds(control, 4096, 1))[0]:
        if not received[1]:
            answer = os.waitstatus_to_exitcode(os.waitpid(int(message), 0)[1])
        elif (answer := os.fork()) == 0:
            control.close()
            if message != b"-":
                os.environ["REMORA_TEST_CLOCK"] = message.decode()
            serve(Connection(received[1][0]))
        else:
            os.close(received[1][0])
        control.send(str(answer).encode())


if __name__ == "__main__":
    fork_hosts(socket.socket(fileno=int(sys.argv[1])))
