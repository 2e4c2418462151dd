# SPDX-License-Identifier: Apache-2.0
#
# Somebody who follows the tutorial of docs/publishing.md in a folder: in the terminals of the page, with another port.
"""A reader of the guide to publishing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from Docs.documents import ROOT, Block, blocks, with_words
from Docs.test_tool import timeless
from Servers.ports import listens
from Servers.waiting import wait_until

PUBLISHING = ROOT / "docs" / "publishing.md"
SOURCES = {"c": "limits.c", "cpp": "limits.cpp", "python": "limits.py", "rust,no_run": "limits-rust/src/main.rs"}
USAGE = "usage: limits URL PIN"
PIN = ' "$(cat keys/root.sha256)"'


def constant(text: str) -> str:
    """A text with the same times and the same pin everywhere."""
    return re.sub(r"\b(?:[0-9A-F]{2}:){31}[0-9A-F]{2}\b", "PIN", timeless(text))


def only(*words: str) -> Block:
    """The one block of the page whose fence has exactly these words."""
    (found,) = with_words(PUBLISHING, *words)
    return found


@dataclass(frozen=True)
class Reader:
    """Somebody who follows the tutorial in a folder."""

    directory: Path
    port: int

    def text(self, block: Block) -> str:
        return block.text.replace("8000", str(self.port))

    def open_terminal(self, commands: str) -> subprocess.Popen[str]:
        """Starts commands in a new terminal, in which the lines for a checkout have run."""
        checkout = only("sh", "checkout").text.replace("/path/to/remora", str(ROOT))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REMORA")}
        environment |= {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
        }
        return subprocess.Popen(
            ["sh", "-euc", checkout + commands], cwd=self.directory, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    def start(self, block: Block) -> subprocess.Popen[str]:
        """Starts a block of commands in a new terminal."""
        return self.open_terminal(self.text(block))

    def run(self, block: Block) -> None:
        """Runs a block of commands; if a block of text follows, the output is that text."""
        process = self.start(block)
        printed, _ = process.communicate()
        assert process.returncode == 0, printed
        following = [other for other in blocks(block.document) if other.number == block.number + 1]
        if following and following[0].words == ("text",):
            assert sorted(constant(printed).splitlines()) == sorted(constant(following[0].text).splitlines())

    def follow(self, language: str, name: str) -> None:
        """Saves a program as the page says, runs it while the change of the page is published, and without the pin."""
        program = self.directory / SOURCES[language]
        assert f"ave this as `{SOURCES[language]}`:" in PUBLISHING.read_text(encoding="utf-8")
        program.write_text(only(language, *["tutorial"] * (language != "rust,no_run")).text, encoding="utf-8")
        commands = only("sh", "run", name)
        process = self.start(commands)
        limit = threading.Timer(180, os.killpg, [process.pid, signal.SIGKILL])
        limit.start()
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        assert only("text", "before").text in lines
        self.run(only("sh", "change"))
        assert only("text", "after").text in lines
        process.communicate("\n")
        limit.cancel()
        assert process.returncode == 0
        assert commands.text.count(PIN) == 1
        incomplete = self.start(replace(commands, text=commands.text.replace(PIN, "")))
        printed, _ = incomplete.communicate(timeout=180)
        assert printed.splitlines()[-1] == USAGE and incomplete.returncode != 0


@contextmanager
def tutorial(reader: Reader) -> Iterator[None]:
    """Follows the tutorial up to the programs, and stops its server at the end."""
    server = only("sh", "server")
    *first, check = with_words(PUBLISHING, "sh", "tutorial")
    for block in first:
        reader.run(block)
    (printed,) = [block for block in blocks(PUBLISHING) if block.number == server.number + 1]
    process = reader.start(server)
    wait_until(lambda: listens(reader.port), "the server of the guide")
    reader.run(check)
    yield
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C
    written, _ = process.communicate(timeout=30)
    assert written.startswith(reader.text(printed))
