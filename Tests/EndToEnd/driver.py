# SPDX-License-Identifier: Apache-2.0
#
# The C driver as a Python object: one call is one command and its answer. Its process
# is a real host program, so a new Driver is a new process with the same storage.
"""Driving of the C host program."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
DRIVER = Path(os.environ.get("REMORA_E2E_DRIVER", REPOSITORY / "build" / "tests" / "e2e-driver"))

OK = "REMORA_OK"
REFRESH_MS = 20_000
EVENT_MS = 10_000

_ANSWER_SECONDS = 60.0

Answer = dict[str, Any]


class Driver:
    """One host process with one client."""

    def __init__(self, environment: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [str(DRIVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **(environment or {})},
        )
        self._unread = b""

    def run(self, command: str, *words: object, **options: object) -> Answer:
        """Sends a command and gives its answer; None as a word is NULL, as an option it is left out."""
        positional = ["-" if one is None else str(one) for one in words]
        named = [f"{name}={value}" for name, value in options.items() if value is not None]
        line = " ".join([command, *positional, *named])
        self.send(line)
        return self.read(line)

    def send(self, line: str) -> None:
        """Sends a command without waiting for its answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def read(self, command: str = "what was sent") -> Answer:
        """The answer to a command that was sent."""
        answer: Answer = json.loads(self._read_line(command))
        return answer

    def read_texts(self) -> Answer:
        """The answer to a command that was sent, in which doubles are their text."""
        answer: Answer = json.loads(self._read_line("what was sent"), parse_float=str)
        return answer

    def attachment(self, key: str, **options: object) -> Answer:
        """Opens the attachment of a record, with a limit of time."""
        return self.run("attachment", REFRESH_MS, record=key, **options)

    def memory_kb(self, name: str) -> int:
        """A figure of the system's about the process, such as VmHWM."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith(f"{name}:")))

    def succeed(self, command: str, *words: object, **options: object) -> Answer:
        """As `run`, and the status must be OK."""
        answer = self.run(command, *words, **options)
        assert answer["status"] == OK, f"{command}: {answer}"
        return answer

    def refresh(self) -> Answer:
        """A blocking refresh."""
        return self.run("refresh", REFRESH_MS)

    def update(self) -> Answer:
        """A refresh that must bring something newer."""
        answer = self.succeed("refresh", REFRESH_MS)
        assert answer["outcome"] == "updated", answer
        return answer

    def values(self) -> dict[str, Any]:
        """The live snapshot, by key."""
        values: dict[str, Any] = self.succeed("json")["json"]
        return values

    def origin(self) -> str:
        """The origin of the live snapshot."""
        return str(self.succeed("json")["origin"])

    def version(self) -> int:
        """The timestamp of the live snapshot."""
        return int(self.succeed("json")["version"])

    def event(self) -> Answer:
        """The next event, which must come in time."""
        return self.succeed("event", EVENT_MS)

    def anonymous_bytes(self) -> int:
        """The memory that is the process's own: not that of mapped files."""
        return 1024 * self.memory_kb("RssAnon")

    def end(self) -> int:
        """Lets the process end by itself; gives its exit status."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(_ANSWER_SECONDS)

    def kill(self) -> None:
        """Ends the process without ceremony, if it is still there."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _read_line(self, command: str) -> bytes:
        assert self._process.stdout is not None
        while b"\n" not in self._unread:
            ready, _, _ = select.select([self._process.stdout], [], [], _ANSWER_SECONDS)
            assert ready, f"no answer within {_ANSWER_SECONDS:g} s to: {command}"
            more = os.read(self._process.stdout.fileno(), 65536)
            assert more, f"the driver ended with status {self._process.wait()} at: {command}"
            self._unread += more
        line, self._unread = self._unread.split(b"\n", 1)
        return line
