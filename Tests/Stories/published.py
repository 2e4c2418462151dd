# SPDX-License-Identifier: Apache-2.0
#
# A program for each language that reads a published tree, and requires trust. All of them have the arguments SERVER,
# ROOT_SHA256, CA_FILE (or "") and STORAGE_DIR, and open the collections "limits" and "files". They read commands from
# standard input, and answer each by one line of JSON:
#
#     refresh      refreshes limits; {"per_day": N, "limits": N, "files": N, "verified": true} has the setting uploads
#                  /per_day, and the numbers of visible records of both collections
#     sync         {"updated": N, "unchanged": N, "failed": N}
#     attachment   {"content": "..."}, of the record logo of files
#
# A failure is {"error": "NAME"}. The context of filters has the version 2.0 of the application.
"""Programs that read a published tree."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from Stories.languages import BUILD, CARGO_TARGET, GO, PUBLISHED, ROOT, SECONDS

GO_READER = BUILD / "examples" / "go" / "published_reader"

COMMANDS: dict[str, list[str | Path]] = {
    "c": [BUILD / "tests" / "published" / "c"],
    "cpp": [BUILD / "tests" / "published" / "cpp"],
    "python": [sys.executable, "-W", "error", PUBLISHED / "reader.py"],
    "rust": [CARGO_TARGET / "debug" / "examples" / "published_reader"],
    "go": [GO_READER],
    "swift": [ROOT / ".build" / "debug" / "published-reader"],
}


def reason_to_skip(language: str) -> str | None:
    """What is missing for a language; None if its program can run."""
    if language == "go" and not GO:
        return "go is not installed"
    if language == "swift" and not shutil.which("swift"):
        return "swift is not installed"
    return None


class Reader:
    """A program that runs until the end of its block."""

    def __init__(self, language: str, server: str, root: str, ca_file: Path | None, storage: Path) -> None:
        self._arguments = [*COMMANDS[language], server, root, ca_file or "", storage]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        if failure:
            self._process.kill()
        rest = self._process.communicate(timeout=SECONDS)[0]
        assert failure or (self._process.returncode, rest) == (0, "")

    def ask(self, command: str) -> dict[str, Any]:
        """Sends a command, and returns the answer."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer
