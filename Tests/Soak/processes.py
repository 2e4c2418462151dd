# SPDX-License-Identifier: Apache-2.0
#
# The processes of a soak. A thread for each process reads its output, until the process has ended.
"""Host programs in Python and C, their counts, and their use of memory, threads and descriptors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections import Counter
from pathlib import Path

from Soak import content

ROOT = Path(__file__).resolve().parents[2]
SYNC_LINE = re.compile(r"sync total=(\d+) .*failed=(\d+) status=(\w+)")
END_SECONDS = 30.0


class Process(ABC):
    """One program in its present process, which `kill` replaces by another one."""

    def __init__(self, name: str, *command: str) -> None:
        self.name, self._command = name, command
        self._ended: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.kills = 0
        self._start()

    @property
    def counts(self) -> Counter[str]:
        """The counts of the present process and of its predecessors."""
        return self._ended + self._now

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def sample(self) -> dict[str, float]:
        """The resident memory in KiB, the threads and the descriptors."""
        folder = Path(f"/proc/{self._process.pid}")
        status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
        descriptors = len(os.listdir(folder / "fd"))
        return {"rss": int(status["VmRSS"].split()[0]), "threads": int(status["Threads"]), "descriptors": descriptors}

    def kill(self) -> None:
        """Kills the process with SIGKILL, and starts another one."""
        self._process.kill()
        self._finish()
        self.kills += 1
        self._start()

    def end(self) -> None:
        """Ends the process as its user would."""
        self._ask_to_end(self._process)
        try:
            status = self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._finish()
        if status != 0:
            self.wrong.append(f"{self.name} ended with status {status}")

    def _start(self) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}/bindings/python/src:{ROOT}/Tests",
            "REMORA_LIBRARY": str(ROOT / "build" / "libremora.so"),
            "LD_LIBRARY_PATH": str(ROOT / "build"),
        }
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.endswith("\n"):
                self._now, wrong = self._read_line(line, self._now)
                self.wrong += [one for one in wrong if one not in self.wrong]

    def _finish(self) -> None:
        self._process.wait()
        self._reader.join()
        self._ended, self._now = self.counts, Counter()

    @abstractmethod
    def _ask_to_end(self, process: subprocess.Popen[str]) -> None:
        """Asks the program to end, in its own way."""

    @abstractmethod
    def _read_line(self, line: str, so_far: Counter[str]) -> tuple[Counter[str], list[str]]:
        """Returns the counts after a line of the output, and what was wrong."""


class PythonHost(Process):
    """Soak.host, which prints all counts in each line, and ends with its standard input."""

    def __init__(self, name: str, *arguments: str) -> None:
        super().__init__(name, sys.executable, "-m", "Soak.host", *arguments)

    def _ask_to_end(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin
        process.stdin.close()

    def _read_line(self, line: str, so_far: Counter[str]) -> tuple[Counter[str], list[str]]:
        report = json.loads(line)
        return Counter(report["counts"]), report["wrong"]


class CHost(Process):
    """The example periodic_sync, which prints a line for each sync, and ends with a signal."""

    def __init__(self, name: str, *arguments: str) -> None:
        super().__init__(name, str(ROOT / "build/examples/periodic_sync"), *arguments)

    def _ask_to_end(self, process: subprocess.Popen[str]) -> None:
        process.terminate()

    def _read_line(self, line: str, so_far: Counter[str]) -> tuple[Counter[str], list[str]]:
        counts, wrong = parse_sync(line)
        return so_far + counts, wrong


def parse_sync(line: str) -> tuple[Counter[str], list[str]]:
    """The counts of one line of the example periodic_sync."""
    found = SYNC_LINE.match(line)
    if found is None:
        return Counter(), []
    counts, error = Counter({"syncs": 1, "refreshes": int(found[1])}), found[3].removeprefix("REMORA_ERR_")
    if error == "REMORA_OK":
        return counts, []
    counts[f"error {error}"] += 1
    return counts, [] if error in content.EXPECTED_ERRORS else [f"unexpected error: {line.strip()}"]
