# SPDX-License-Identifier: Apache-2.0
#
# gunicorn from PyPI as its users run it, on a socket that is known before it starts; and
# what each of its workers answers.
"""A forked server."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from Servers.waiting import wait_until

Answer = dict[str, Any]

WORKERS = 4

_TESTS = Path(__file__).resolve().parents[1]
_AT_ONCE = 2 * WORKERS
_SECONDS = 30.0
_CRASH = re.compile(r"Traceback|\[(ERROR|CRITICAL)\]|SIG(SEGV|ABRT|BUS|KILL)|core dumped|Fatal Python error", re.I)


class Gunicorn:
    """`gunicorn --preload` with four workers, each of which has forked from a program that knows its settings."""

    def __init__(self, worker_class: str, **environment: str) -> None:
        listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._log = tempfile.TemporaryFile()
        self._killed: set[int] = set()
        command = [sys.executable, "-m", "gunicorn", "--preload", "--no-control-socket", "--workers", str(WORKERS)]
        command += ["--worker-class", worker_class, "--threads", "2" if worker_class == "gthread" else "1"]
        command += ["--bind", f"fd://{listener.fileno()}", "Hosts.wsgi_app:application"]
        with listener:
            self._process = subprocess.Popen(
                command,
                cwd=_TESTS,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._log,
                pass_fds=[listener.fileno()],
            )

    def kill(self, pid: int) -> None:
        """Kills a worker."""
        self._killed.add(pid)
        os.kill(pid, signal.SIGKILL)

    @property
    def crashes(self) -> list[str]:
        """Lines of the log that smell of a crash, but for those about workers that were killed."""
        lines = [line for line in self.log.splitlines() if _CRASH.search(line)]
        return [line for line in lines if not any(f"pid:{pid})" in line for pid in self._killed)]

    @property
    def log(self) -> str:
        """What it printed to standard error."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")

    @property
    def pids(self) -> set[int]:
        """Its worker processes."""
        main = self._process.pid
        return {int(pid) for pid in Path(f"/proc/{main}/task/{main}/children").read_text(encoding="ascii").split()}

    def ask(self, path: str = "/") -> Answer:
        """What some worker answers."""
        with urllib.request.urlopen(self._url + path, timeout=_SECONDS) as response:
            answer: Answer = json.load(response)
        return answer

    def ask_everybody(self, path: str, condition: Callable[[Answer], bool], what: str) -> dict[int, Answer]:
        """Asks until the last answer of every one of the workers is as wanted; gives those answers by process."""
        last: dict[int, Answer] = {}

        def everybody() -> bool:
            with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as threads:
                for answer in threads.map(lambda _: self.ask(path), range(_AT_ONCE)):
                    last[answer["pid"]] = answer
            now = self.pids
            return len(now) == WORKERS and all(pid in last and condition(last[pid]) for pid in now)

        try:
            wait_until(everybody, what, _SECONDS)
        except TimeoutError as error:
            raise AssertionError(f"{error}; workers {self.pids}, answers {last}\n{self.log}") from None
        return {pid: last[pid] for pid in self.pids}

    def terminate(self) -> int:
        """Asks it to end, and gives its exit status."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(_SECONDS)

    def __enter__(self) -> Gunicorn:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            workers = self.pids
            self._process.kill()
            self._process.wait()
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
        self._log.close()
