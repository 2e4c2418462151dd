# SPDX-License-Identifier: Apache-2.0
#
# The command-line tool as a test runs it: words in, exit status and both outputs out.
"""Running of the tool."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from EndToEnd.driver import CLOCK_SHIFT, REPOSITORY
from EndToEnd.hosts import KintoSource, V2Source

TOOL = Path(os.environ.get("REMORA_TOOL", REPOSITORY / "build" / "remora"))

_SECONDS = 60


@dataclass(frozen=True)
class Ended:
    """A run of the tool."""

    status: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line of a failure, which must be all that was said."""
        assert self.out == "", self
        assert self.err.startswith("remora: ") and self.err.endswith("\n") and self.err.count("\n") == 1, self
        return self.err[len("remora: ") : -1]


def run(*words: object, cwd: Path | None = None, clock: Path | None = None) -> Ended:
    """Runs the tool to its end; with `clock`, at the time of that file."""
    command = [str(TOOL), *map(str, words)]
    moved = {"LD_PRELOAD": str(CLOCK_SHIFT), "REMORA_TEST_CLOCK": str(clock)} if clock else {}
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **moved},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def at(source: KintoSource | V2Source) -> list[str]:
    """The options that lead to a source and its root."""
    return ["--server", source.url, *(["--root-sha256", source.root] if source.root else [])]


def dump(source: KintoSource | V2Source, file: Path | str, *words: object) -> Ended:
    """Dumps a source into a file."""
    return run("dump", *at(source), "--output", file, *words, source.collection)


def dumped(source: KintoSource | V2Source, file: Path) -> Path:
    """Dumps a source, which must succeed."""
    ended = dump(source, file)
    assert ended.status == 0, ended
    return file
