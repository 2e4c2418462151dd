# SPDX-License-Identifier: Apache-2.0
#
# A host process as a Python object: one call is one command and its answer. A new Driver is a new process.
"""Driving of host programs."""

from __future__ import annotations

import json
import multiprocessing
import os
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import pytest

from EndToEnd.host import LIMIT, NOTHING, OK, Answer, serve

REPOSITORY = Path(__file__).resolve().parents[2]
CLOCK_SHIFT = REPOSITORY / "build" / "tests" / "clock-shift.so"

_FORKING = multiprocessing.get_context("forkserver")


def start_forking() -> None:
    """Starts the process from which hosts are forked: it has loaded the library, and has a clock that can be moved."""
    if not CLOCK_SHIFT.exists():
        pytest.fail(f"{CLOCK_SHIFT} is missing: build the project first (make build)")
    _FORKING.set_forkserver_preload(["EndToEnd.host"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_PRELOAD", str(CLOCK_SHIFT))
        patch.setenv("PYTHONPATH", str(REPOSITORY / "Tests"), prepend=os.pathsep)
        forkserver.ensure_running()


class Driver:
    """One host process with one client."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self._pipe, end_of_host = _FORKING.Pipe()
        self._process = _FORKING.Process(target=serve, args=(end_of_host, environment or {}), daemon=True)
        self._process.start()
        end_of_host.close()

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
        return self.run("attempt")

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
        """The live snapshot, by key."""
        values: dict[str, Any] = self.succeed("snapshot")["json"]
        return values

    def origin(self) -> str:
        """The origin of the live snapshot."""
        return str(self.succeed("snapshot")["origin"])

    def version(self) -> int:
        """The timestamp of the live snapshot."""
        return int(self.succeed("snapshot")["version"])

    def event(self) -> Answer:
        """The next event, which must arrive in time."""
        return self.succeed("take", "events")

    def is_silent(self, seconds: float = 0) -> bool:
        """Whether no event waits, or arrives in this time."""
        return bool(self.run("take", "events", seconds)["status"] == NOTHING)

    def completion(self) -> Answer:
        """The end of an operation that was started: the next one, which must arrive in time."""
        answer = self.run("take", "completions")
        assert answer["status"] != NOTHING
        return answer

    def log(self, seconds: float = 0) -> list[str]:
        """The lines of the log so far, until none arrives in this time."""
        lines: list[str] = []
        while (line := self.run("take", "log", seconds))["status"] == OK:
            lines.append(line["message"])
        return lines

    def memory(self, name: str) -> int:
        """A figure of the system about the process in bytes, such as VmHWM."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:")))

    def end(self) -> int | None:
        """Lets the process close its client and end; returns its exit status."""
        self._pipe.close()
        self._process.join(LIMIT)
        return self._process.exitcode

    def kill(self) -> None:
        """Kills the process, if it still exists."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
