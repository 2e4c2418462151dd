# SPDX-License-Identifier: Apache-2.0
#
# Somebody who follows the tutorial of docs/publishing.md in a folder: in the terminals of the page, with another port.
"""A reader of the guide to publishing."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from Docs.documents import ROOT, Block, blocks, with_words
from Docs.test_tool import timeless
from Servers.waiting import wait_until

PUBLISHING = ROOT / "docs" / "publishing.md"


def constant(text: str) -> str:
    """A text with the same times and the same pin everywhere."""
    return re.sub(r"\b(?:[0-9A-F]{2}:){31}[0-9A-F]{2}\b", "PIN", timeless(text))


@dataclass(frozen=True)
class Reader:
    """Somebody who follows the tutorial in a folder."""

    directory: Path
    port: int

    def text(self, block: Block) -> str:
        return block.text.replace("8000", str(self.port))

    def start(self, block: Block) -> subprocess.Popen[str]:
        """Starts a block of commands in a new terminal, in which the lines for a checkout have run."""
        (checkout,) = with_words(PUBLISHING, "sh", "checkout")
        commands = checkout.text.replace("/path/to/remora", str(ROOT)) + self.text(block)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REMORA")}
        environment |= {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONUNBUFFERED": "1",
            "CARGO_NET_OFFLINE": "true",
        }
        return subprocess.Popen(
            ["sh", "-eu", "-c", commands], cwd=self.directory, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip

    def run(self, block: Block) -> None:
        """Runs a block of commands; if a block of text follows, the output is that text."""
        process = self.start(block)
        printed, _ = process.communicate()
        assert process.returncode == 0, printed
        following = [other for other in blocks(block.document) if other.number == block.number + 1]
        if following and following[0].words == ("text",):
            assert sorted(constant(printed).splitlines()) == sorted(constant(following[0].text).splitlines())


@contextmanager
def tutorial(directory: Path) -> Iterator[Reader]:
    """Follows the tutorial up to the programs, and stops its server at the end."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        reader = Reader(directory, int(one.getsockname()[1]))
    (server,) = with_words(PUBLISHING, "sh", "server")
    *first, check = with_words(PUBLISHING, "sh", "tutorial")
    for block in first:
        reader.run(block)
    (printed,) = [block for block in blocks(PUBLISHING) if block.number == server.number + 1]
    process = reader.start(server)

    def listens() -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", reader.port)) == 0

    wait_until(listens, "the server of the guide")
    reader.run(check)
    yield reader
    os.killpg(process.pid, signal.SIGINT)  # Ctrl-C
    written, _ = process.communicate(timeout=30)
    assert written.startswith(reader.text(printed))
