# SPDX-License-Identifier: Apache-2.0
#
# A child whose output is a terminal, so that its C library writes line by line: the
# demo shows each line when it is printed and goes on when it has seen what it needs.
"""Watching a program's lines."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_DOT_SECONDS = 0.5


class TerminalProcess:
    """Runs a program, repeats its lines indented, and waits for some of them."""

    def __init__(self, *command: str | Path) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=slave)
        os.close(slave)
        self._rest = b""
        self.seen = ""
        """Everything printed so far."""

    def wait_for_line(self, pattern: str, seconds: float) -> str:
        """Repeats lines until one matches, and returns it; the end of the program before that is an error."""
        for line in self._lines(seconds):
            if re.search(pattern, line, re.IGNORECASE):
                return line
        raise RuntimeError(f"the program ended without a line like: {pattern}")

    def wait_for_end(self, seconds: float) -> None:
        """Repeats the remaining lines; a failing exit status is an error."""
        for _ in self._lines(seconds):
            pass
        status = self._process.wait(seconds)
        if status != 0:
            raise RuntimeError(f"the program ended with status {status}")

    def terminate(self) -> None:
        """Asks the program to end."""
        self._process.terminate()

    def close(self) -> None:
        """Ends the program if it still runs."""
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def __enter__(self) -> TerminalProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lines(self, seconds: float) -> Iterator[str]:
        deadline = time.monotonic() + seconds
        waiting = False
        while True:
            while b"\n" in self._rest:
                raw, self._rest = self._rest.split(b"\n", 1)
                line = raw.decode(errors="replace").rstrip("\r")
                print(f"{chr(10) if waiting else ''}    {line}", flush=True)
                waiting = False
                self.seen += f"{line}\n"
                yield line
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing more from the program within {seconds:g} s")
            if not select.select([self._master], [], [], _DOT_SECONDS)[0]:
                print("    waiting ." if not waiting else ".", end="", flush=True)
                waiting = True
                continue
            more = b""
            with contextlib.suppress(OSError):  # A terminal whose other side is closed gives EIO.
                more = os.read(self._master, 4096)
            if not more:
                if waiting:
                    sys.stdout.write("\n")
                return
            self._rest += more
