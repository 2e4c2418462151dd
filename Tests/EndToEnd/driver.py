# SPDX-License-Identifier: Apache-2.0
#
# A host process as a Python object: one call is one command and its answer. A new Driver is a new process.
"""Driving of host programs."""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import signal
import socket
import subprocess
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.host import LIMIT, NOTHING, OK, Answer

REPOSITORY = Path(__file__).resolve().parents[2]
CLOCK_SHIFT = REPOSITORY / "build" / "tests" / "clock-shift.so"

_DAY_MS = 24 * 3600 * 1000


class Forker:
    """The process from which hosts are forked: it has loaded the library, and has a clock that can be moved."""

    def __init__(self) -> None:
        if not CLOCK_SHIFT.exists():
            pytest.fail(f"{CLOCK_SHIFT} is missing: build the project first (make build)")
        self._control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(LIMIT)
        path = f"{REPOSITORY / 'Tests'}{os.pathsep}{os.environ['PYTHONPATH']}"
        environment = {**os.environ, "LD_PRELOAD": str(CLOCK_SHIFT), "PYTHONPATH": path}
        command = [sys.executable, "-m", "EndToEnd.host", str(other.fileno())]
        self._process = subprocess.Popen(command, env=environment, pass_fds=[other.fileno()])
        other.close()

    def fork(self, clock: Path | None) -> tuple[int, Connection]:
        """Forks a host; returns the number of its process, and the pipe to it."""
        ours, other = multiprocessing.Pipe()
        socket.send_fds(self._control, [str(clock or "-").encode()], [other.fileno()])
        other.close()
        return int(self._control.recv(100)), ours

    def wait(self, process: int) -> int:
        """Waits for the end of a host; returns its exit status, negative for a signal."""
        descriptor = os.pidfd_open(process)
        ended = select.select([descriptor], [], [], LIMIT)[0]
        os.close(descriptor)
        assert ended, f"a host has not ended within {LIMIT:g} s"
        self._control.send(str(process).encode())
        return int(self._control.recv(100))

    def end(self) -> None:
        """Ends the process."""
        self._control.close()
        self._process.wait(LIMIT)


class Clock:
    """The clock of all hosts that were started with it; right until it is moved."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "clock"
        self.move(days=0)

    def move(self, *, days: float) -> None:
        """So far from the right time."""
        moved = self.file.with_suffix(".new")
        moved.write_text(str(round(days * _DAY_MS)))
        moved.replace(self.file)


class Driver:
    """One host process with one client."""

    def __init__(self, forker: Forker, clock: Path | None = None) -> None:
        self._forker = forker
        self._process, self._pipe = forker.fork(clock)
        self._status: int | None = None

    def run(self, command: str, *arguments: object, **options: object) -> Answer:
        """Sends a command, and returns its answer."""
        self.send(command, *arguments, **options)
        return self.read()

    def send(self, command: str, *arguments: object, **options: object) -> None:
        """Sends a command without waiting for its answer."""
        self._command = command
        self._pipe.send((command, arguments, options))

    def read(self) -> Answer:
        """Returns the answer to the command that was sent."""
        assert self._pipe.poll(2 * LIMIT), f"no answer within {2 * LIMIT:g} s to: {self._command}"
        try:
            answer: Answer = self._pipe.recv()
        except (EOFError, ConnectionResetError):
            raise AssertionError(f"the host ended at: {self._command}") from None
        return {**answer, "json": json.loads(answer["text"])} if "text" in answer else answer

    def succeed(self, command: str, *arguments: object, **options: object) -> Answer:
        """As `run`, and the status must be OK."""
        answer = self.run(command, *arguments, **options)
        assert answer["status"] == OK, f"{command}: {answer}"
        return answer

    def refresh(self) -> Answer:
        """Refreshes; the answer has the outcome of a failed refresh too."""
        begun = self.run("begin_refresh", timeout=LIMIT)
        return self.completion() if begun["status"] == OK else begun

    def update(self) -> None:
        """Refreshes, and must receive newer data."""
        answer = self.succeed("refresh", LIMIT)
        assert answer["value"] == "updated", answer

    def attachment(self, record: str | None = None, **options: object) -> Answer:
        """Opens the attachment of a record, or one at a location."""
        return self.run("attachment", record, **options)

    def value(self, key: str) -> Any:
        """Reads a value of the live snapshot."""
        return self.succeed("value", key)["value"]

    def get_int(self, key: str, pointer: str | None = None, default: int = -1) -> int:
        """Reads an integer of the live snapshot."""
        return int(self.succeed("get_int", key, pointer, default)["value"])

    def get_str(self, key: str, pointer: str | None = None, default: str = "none") -> str:
        """Reads a string of the live snapshot."""
        return str(self.succeed("get_str", key, pointer, default)["value"])

    def values(self) -> dict[str, Any]:
        """Returns the live snapshot, by key."""
        values: dict[str, Any] = self.succeed("snapshot")["json"]
        return values

    def origin(self) -> str:
        """Returns the origin of the live snapshot."""
        return str(self.succeed("snapshot")["origin"])

    def version(self) -> int:
        """Returns the timestamp of the live snapshot."""
        return int(self.succeed("snapshot")["version"])

    def event(self) -> Answer:
        """Returns the next event, which must arrive in time."""
        return self.succeed("take", "events")

    def is_silent(self, seconds: float = 0) -> bool:
        """Returns whether no event waits or arrives in this time."""
        return bool(self.run("take", "events", seconds)["status"] == NOTHING)

    def completion(self) -> Answer:
        """Returns the next end of an asynchronous operation, which must arrive in time."""
        answer = self.run("take", "completions")
        assert answer["status"] != NOTHING
        return answer

    def log(self, seconds: float = 0) -> list[str]:
        """Returns the lines of the log, until none arrives in this time."""
        lines: list[str] = []
        while (line := self.run("take", "log", seconds))["status"] == OK:
            lines.append(line["message"])
        return lines

    def memory(self, name: str) -> int:
        """Returns a figure of the system about the process in bytes, such as VmHWM."""
        status = Path(f"/proc/{self._process}/status").read_text()
        return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:")))

    def end(self) -> int:
        """Lets the process close its client and end; returns its exit status."""
        self._pipe.close()
        if self._status is None:
            self._status = self._forker.wait(self._process)
        return self._status

    def kill(self) -> None:
        """Kills the process, if it still exists."""
        if self._status is None:
            os.kill(self._process, signal.SIGKILL)
        self.end()
