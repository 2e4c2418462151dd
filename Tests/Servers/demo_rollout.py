# SPDX-License-Identifier: Apache-2.0
#
# The demo of `make demo-rollout`: a signed version that crashes every worker of a service is published. The health
# check of the service rejects it, the workers read the version before it, and the next good version is used.
# Succeeds only if all of it was seen. It needs only the standard library of Python.
"""`python -m Servers.demo_rollout BUILD_DIRECTORY`."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from .published_tree import PublishedTree
from .signals import set_default_signals_of_children
from .terminal_process import TerminalProcess

_SECONDS = 60.0
_WORKERS = 4


def main(build: Path) -> None:
    """Runs the demo; whatever was not seen is an exception."""
    set_default_signals_of_children()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # The workers crash on purpose.
    with tempfile.TemporaryDirectory(prefix="remora-rollout-") as name:
        directory = Path(name)
        tool, storage = build.resolve() / "remora", directory / "storage"
        tree = PublishedTree(tool, directory, "service")
        _heading("1  A good version is published; a service with four workers reads it")
        tree.publish({"pool": {"servers": 4}})
        with TerminalProcess(build / "examples" / "rollout", tree.url, tree.root, "service", storage) as service:
            _wait_until(service, "each worker serves", partial(_all_serve, 4))
            _heading("2  A bad version is published: genuine, signed, and without a server. The workers crash")
            tree.publish({"pool": {"servers": 0}})
            _wait_until(service, "three workers die", lambda seen: seen.count(" died of signal ") >= 3)
            _wait_until(service, "the supervisor rejects", lambda seen: "supervisor: rejected version" in seen)
            _heading(
                "3  The version is rejected: every worker serves again, and none uses the version that is still there"
            )
            _wait_until(service, "a worker refuses", lambda seen: "was rejected by a program" in seen)
            _wait_until(service, "each worker serves again", partial(_all_serve, 4))
            _print(tool, "list", storage)
            _print(tool, "diff", "--rejected", storage, "service")
            _heading("4  A corrected version is published, and all workers use it")
            tree.publish({"pool": {"servers": 8}})
            _wait_until(service, "each worker serves the new version", partial(_all_serve, 8))
            service.terminate()
            service.wait_for_end(_SECONDS)
        tree.stop()
    _heading("Seen: served, crashed, rejected, healed, corrected. The demo succeeded.")


def _wait_until(service: TerminalProcess, name: str, is_true: Callable[[str], bool]) -> None:
    """Waits until what the service has printed so far satisfies the condition."""
    while not is_true(service.seen):
        try:
            service.wait_for_line("", _SECONDS)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; expected: {name}") from error


def _all_serve(servers: int, seen: str) -> bool:
    """Whether each worker serves with this number of servers, and has not died since."""
    last = dict(re.findall(r"worker (\d):? (died|serves with \d+)", seen))
    return last == {str(number): f"serves with {servers}" for number in range(1, _WORKERS + 1)}


def _print(tool: Path, *words: str | Path) -> None:
    """Prints what a command of the tool prints about the storage directory."""
    done = subprocess.run([str(tool), *map(str, words)], capture_output=True, text=True, check=True)
    print(f"    $ remora {' '.join(map(str, words))}\n" + "".join(f"    {line}\n" for line in done.stdout.splitlines()))


def _heading(text: str) -> None:
    print(f"\n== {text}", flush=True)


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sys.exit(f"\ndemo: {error}")
