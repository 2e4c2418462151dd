# SPDX-License-Identifier: Apache-2.0
#
# The guide to publishing, followed to the letter: its commands in their order, its server, and its programs, which print
# a change that is published while they run. Only the port is another one.
"""Tests of docs/publishing.md."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from Docs.conftest import compile_program
from Docs.documents import ROOT, Block, blocks
from Docs.test_tool import timeless
from Servers.waiting import wait_until

PAGE = ROOT / "docs" / "publishing.md"
CARGO = (
    '[package]\nname = "limits"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nremora = {{ path = "{path}" }}\n'
)


def with_words(*words: str) -> list[Block]:
    return [block for block in blocks(PAGE) if block.words == words]


def constant(text: str) -> str:
    """A text with the same times and the same pin everywhere."""
    return re.sub(r"\b(?:[0-9A-F]{2}:){31}[0-9A-F]{2}\b", "PIN", timeless(text))


@dataclass(frozen=True)
class Reader:
    """Somebody who follows the guide in a folder."""

    directory: Path
    port: int

    def text(self, block: Block) -> str:
        return block.text.replace("8000", str(self.port))

    def run(self, block: Block) -> None:
        """Runs a block of commands; if a block of text follows, the output is that text."""
        environment = {**os.environ, "PATH": f"{ROOT / 'build'}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-eu", "-c", self.text(block)], cwd=self.directory, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        following = [other for other in blocks(PAGE) if other.number == block.number + 1]
        if following and following[0].words == ("text",):
            assert sorted(constant(done.stdout).splitlines()) == sorted(constant(following[0].text).splitlines())

    def watch(self, command: list[str | Path], **environment: str) -> None:
        """Runs a program of the guide, and publishes the change of the guide meanwhile."""
        root = (self.directory / "keys/root.sha256").read_text().strip()
        process = subprocess.Popen(
            [*command, f"http://127.0.0.1:{self.port}", root], cwd=self.directory, env={**os.environ, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        limit = threading.Timer(60, process.kill)
        limit.start()
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        (before,), (change,), (after,) = (
            with_words("text", "before"),
            with_words("sh", "change"),
            with_words("text", "after"),
        )
        assert before.text in lines
        self.run(change)
        assert after.text in lines
        process.communicate("\n")
        limit.cancel()
        assert process.returncode == 0


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Has followed the tutorial up to the programs."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        found = Reader(tmp_path, int(one.getsockname()[1]))
    (server,) = with_words("sh", "server")
    *first, check = with_words("sh", "tutorial")
    for block in first:
        found.run(block)
    (printed,) = [block for block in blocks(PAGE) if block.number == server.number + 1]
    process = subprocess.Popen(
        ["sh", "-c", f"exec {found.text(server)}"], cwd=tmp_path, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip

    def listens() -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", found.port)) == 0

    wait_until(listens, "the server of the guide")
    found.run(check)
    yield found
    process.send_signal(signal.SIGINT)  # Ctrl-C
    written, _ = process.communicate(timeout=30)
    assert written.startswith(found.text(printed)) and process.returncode == 0


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_the_guide_to_publishing_works_to_the_letter_with_a_compiled_program(reader: Reader, language: str) -> None:
    (block,) = with_words(language, "tutorial")
    source = reader.directory / f"limits.{language}"
    source.write_text(block.text, encoding="utf-8")
    compile_program(source, reader.directory / "limits")
    reader.watch(["./limits"])


def test_the_guide_to_publishing_works_to_the_letter_in_python(reader: Reader) -> None:
    (block,) = with_words("python", "tutorial")
    (reader.directory / "limits.py").write_text(block.text, encoding="utf-8")
    library = str(ROOT / "build" / "libremora.so")
    reader.watch([sys.executable, "limits.py"], PYTHONPATH=str(ROOT / "bindings/python/src"), REMORA_LIBRARY=library)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is missing")
def test_the_guide_to_publishing_works_to_the_letter_in_rust(reader: Reader) -> None:
    (block,) = with_words("rust,no_run")
    (reader.directory / "src").mkdir()
    (reader.directory / "src/main.rs").write_text(block.text, encoding="utf-8")
    (reader.directory / "Cargo.toml").write_text(CARGO.format(path=ROOT / "bindings/rust/remora"), encoding="utf-8")
    environment = {**os.environ, "REMORA_LIB_DIR": str(ROOT / "build"), "LD_LIBRARY_PATH": str(ROOT / "build")}
    subprocess.run(["cargo", "build", "--quiet", "--offline"], cwd=reader.directory, env=environment, check=True)
    reader.watch(["target/debug/limits"], LD_LIBRARY_PATH=str(ROOT / "build"))


def test_the_job_of_the_guide_renews_only_if_the_certificate_expires_soon(reader: Reader) -> None:
    (job,) = with_words("sh", "renewal")
    signer = reader.directory / "keys/publisher/signer.pem"
    before = signer.read_bytes()
    reader.run(job)
    assert signer.read_bytes() == before
    soon = ["build/remora", "keys", "renew", str(reader.directory / "keys"), "--days", "20"]
    subprocess.run(soon, cwd=ROOT, check=True, capture_output=True)
    before = signer.read_bytes()
    reader.run(job)
    assert signer.read_bytes() != before


def test_the_picture_of_the_tree_names_the_parts_in_the_order_in_which_they_are_written() -> None:
    picture = (ROOT / "docs/publishing.svg").read_text(encoding="utf-8")
    numbers = re.findall(r'on" x="486" y="\d+">(\d)<', picture)
    parts = re.findall(r'<text x="522" y="\d+">(\w+)', picture)
    assert (numbers, parts) == (list("12345"), ["attachments", "authorities", "index", "buckets", "buckets"])
