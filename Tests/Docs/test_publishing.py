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
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from Docs.conftest import compile_program
from Docs.documents import ROOT, Block, with_words
from Docs.tutorial import PUBLISHING, Reader

SOURCES = {"c": "limits.c", "cpp": "limits.cpp", "python": "limits.py", "rust,no_run": "limits-rust/src/main.rs"}
USAGE = "usage: limits URL PIN"
PIN = ' "$(cat keys/root.sha256)"'


def only(*words: str) -> Block:
    """The one block of the page whose fence has exactly these words."""
    (found,) = with_words(PUBLISHING, *words)
    return found


def follow(reader: Reader, language: str, name: str) -> None:
    """Saves a program as the page says, runs it while the change of the page is published, and then without the pin."""
    program = reader.directory / SOURCES[language]
    assert f"ave this as `{SOURCES[language]}`:" in PUBLISHING.read_text(encoding="utf-8")
    program.write_text(only(language, *["tutorial"] * (language != "rust,no_run")).text, encoding="utf-8")
    commands = only("sh", "run", name)
    process = reader.start(commands)
    limit = threading.Timer(180, os.killpg, [process.pid, signal.SIGKILL])
    limit.start()
    assert process.stdout
    lines = iter(process.stdout.readline, "")
    assert only("text", "before").text in lines
    reader.run(only("sh", "change"))
    assert only("text", "after").text in lines
    process.communicate("\n")
    limit.cancel()
    assert process.returncode == 0
    assert commands.text.count(PIN) == 1
    incomplete = reader.start(replace(commands, text=commands.text.replace(PIN, "")))
    printed, _ = incomplete.communicate(timeout=180)
    assert printed.splitlines()[-1] == USAGE and incomplete.returncode != 0


def test_the_guide_to_publishing_works_to_the_letter_in_c_and_then_in_another_language(reader: Reader) -> None:
    follow(reader, "c", "c")
    reader.run(only("sh", "again"))
    follow(reader, "cpp", "cpp")
    assert {"limits", "limits-cpp"} <= {path.name for path in reader.directory.iterdir()}


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_program_of_the_guide_to_publishing_compiles_without_a_warning(language: str, tmp_path: Path) -> None:
    source = tmp_path / SOURCES[language]
    source.write_text(only(language, "tutorial").text, encoding="utf-8")
    compile_program(source, tmp_path / "limits")


def test_the_guide_to_publishing_works_to_the_letter_in_python(reader: Reader) -> None:
    follow(reader, "python", "py")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is missing")
def test_the_guide_to_publishing_works_to_the_letter_in_rust(reader: Reader) -> None:
    reader.run(only("sh", "new", "rs"))
    follow(reader, "rust,no_run", "rs")


def test_the_job_of_the_guide_renews_only_if_the_certificate_expires_soon(reader: Reader) -> None:
    job = only("sh", "renewal")
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
