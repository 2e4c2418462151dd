# SPDX-License-Identifier: Apache-2.0
#
# How an example is started in each language. All of them take the same arguments and print
# the same lines.
"""The examples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from Servers.terminal_process import TerminalProcess
from Servers.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
CARGO_TARGET = BUILD / "cargo"
GO = shutil.which("go")
GO_PACKAGE = ROOT / "bindings" / "go"
PUBLISHED = ROOT / "Tests" / "Stories" / "Published"
"""The programs of published.py."""

SECONDS = 60.0


@dataclass(frozen=True)
class Example:
    """One program of examples/ in one language."""

    language: str
    name: str

    def __str__(self) -> str:
        return f"{self.language}-{self.name}"

    @property
    def command(self) -> list[str | Path]:
        """What starts it."""
        if self.language == "python":
            return [sys.executable, "-W", "error", ROOT / "examples" / "python" / f"{self.name}.py"]
        if self.language == "rust":
            return [CARGO_TARGET / "debug" / "examples" / self.name]
        folder = BUILD / "examples"
        return [folder / self.name if self.language == "c" else folder / self.language / self.name]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs it to its end."""
        command = [*self.command, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)

    def run_until_printed(
        self, *lines: str, arguments: Callable[[], Sequence[str | Path]]
    ) -> subprocess.CompletedProcess[str]:
        """The first run that prints all of `lines`: a callback that is late ends with its client, and prints none."""

        def complete() -> list[subprocess.CompletedProcess[str]]:
            done = self.run(*arguments())
            return [done] if set(lines) <= set(done.stdout.splitlines()) else []

        return wait_until(complete, f"a run that prints {lines}")[0]

    def start(self, *arguments: str | Path) -> TerminalProcess:
        """Starts it on a terminal, to be read line by line."""
        return TerminalProcess(*self.command, *arguments)


LANGUAGES = ("c", "python", "rust")
READERS = [Example(language, "get") for language in LANGUAGES]
WATCHERS = [Example(language, name) for language in LANGUAGES for name in ("watch", "event_loop")]
WATCHERS.append(Example("cpp", "watch"))
if GO:
    WATCHERS.append(Example("go", "watch"))

SYNCERS = [Example(language, "periodic_sync") for language in LANGUAGES]
OPENERS = [Example(language, "attachment") for language in LANGUAGES]
TRACKERS = [Example(language, "bundle") for language in (*LANGUAGES, "cpp")]
SETTERS = [Example(language, "settings") for language in (*LANGUAGES, "cpp")]
CONNECTORS = [Example(language, "preconnect") for language in LANGUAGES]

INSTALLER = Example("c", "seed")
"""Saves what the trackers then find."""

RAW = Example("python", "raw_ctypes")
"""Python without our package: less of a story, and only for servers that do not sign."""


def prepare() -> None:
    """Lets Python find the package and everybody the library, and builds the examples in Rust and Go."""
    os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python" / "src")
    os.environ["REMORA_LIBRARY"] = str(BUILD / "libremora.so")
    os.environ["REMORA_LIB_DIR"] = os.environ["LD_LIBRARY_PATH"] = str(BUILD)
    os.environ["CARGO_TARGET_DIR"] = str(CARGO_TARGET)
    manifest = ROOT / "bindings" / "rust" / "Cargo.toml"
    subprocess.run(["cargo", "build", "--quiet", "--offline", "--examples", "--manifest-path", manifest], check=True)
    if GO:
        folder = BUILD / "examples" / "go"
        folder.mkdir(parents=True, exist_ok=True)
        libraries, headers = f"-L{BUILD} -lremora", f"-I{ROOT / 'include'}"
        description = f"Name: remora\nDescription: -\nVersion: 0\nLibs: {libraries}\nCflags: {headers}\n"
        (folder / "remora.pc").write_text(description, encoding="utf-8")
        os.environ["PKG_CONFIG_PATH"] = str(folder)
        programs: dict[str, str | Path] = {"watch": "./watch", "published_reader": PUBLISHED / "reader.go"}
        for name, source in programs.items():
            subprocess.run([GO, "build", "-o", folder / name, source], cwd=GO_PACKAGE, check=True)
