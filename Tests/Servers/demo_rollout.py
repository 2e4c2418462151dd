# SPDX-License-Identifier: Apache-2.0
#
# The demo of `make demo-rollout`: a signed version that crashes every worker of a service is published. The health
# check of the service rejects it, the workers read the version before it, and the next good version is used.
# Succeeds only if all of it was seen. It needs only the standard library of Python.
"""`python -m Servers.demo_rollout BUILD_DIRECTORY`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from .published_tree import PublishedTree
from .signals import set_default_signals_of_children
from .terminal_process import TerminalProcess

_SECONDS = 60.0
_WORKERS = range(1, 5)


def main(build: Path) -> None:
    """Runs the demo; whatever was not seen is an exception."""
    set_default_signals_of_children()
    with tempfile.TemporaryDirectory(prefix="remora-rollout-") as name:
        directory = Path(name)
        tool, storage = build.resolve() / "remora", directory / "storage"
        tree = PublishedTree(tool, directory, "service")
        _heading("1  A good version is published; a service with four workers reads it")
        tree.publish({"pool": {"servers": 4}})
        with TerminalProcess(build / "examples" / "rollout", tree.url, tree.root, "service", storage) as service:
            _wait_for_workers(service, "with 4 servers")
            _heading("2  A bad version is published: genuine, signed, and without a server. The workers crash")
            tree.publish({"pool": {"servers": 0}})
            service.wait_for_line("supervisor: worker . died", _SECONDS)
            service.wait_for_line("supervisor: rejected version", _SECONDS)
            _heading(
                "3  The version is rejected: every worker serves again, and refuses the version that is still there"
            )
            _wait_for_workers(service, "with 4 servers")
            service.wait_for_line("was rejected by a program", _SECONDS)
            _print(tool, "list", storage)
            _print(tool, "diff", "--rejected", storage, "service")
            _heading("4  A corrected version is published, and all workers use it")
            tree.publish({"pool": {"servers": 8}})
            _wait_for_workers(service, "with 8 servers")
            service.terminate()
            service.wait_for_end(_SECONDS)
        tree.stop()
    _heading("Seen: served, crashed, rejected, healed, corrected. The demo succeeded.")


def _wait_for_workers(service: TerminalProcess, words: str) -> None:
    """Waits until each worker has printed the words since the call."""
    start = len(service.seen)
    while not all(f"worker {number}: serves {words}" in service.seen[start:] for number in _WORKERS):
        service.wait_for_line(f"serves {words}", _SECONDS)


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
