# SPDX-License-Identifier: Apache-2.0
#
# The guide to publishing, followed to the letter: its commands in their order, its server, and its programs, which
# print a change that is published while they run. Only the port is another one.
"""Tests of docs/publishing.md."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from Docs.conftest import compile_program
from Docs.documents import ROOT
from Docs.tutorial import SOURCES, Reader, only


def test_the_guide_to_publishing_works_to_the_letter_in_c_and_then_in_another_language(reader: Reader) -> None:
    reader.follow("c", "c")
    reader.run(only("sh", "again"))
    reader.follow("cpp", "cpp")
    assert {"limits", "limits-cpp"} <= {path.name for path in reader.directory.iterdir()}


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_a_program_of_the_guide_to_publishing_compiles_without_a_warning(language: str, tmp_path: Path) -> None:
    source = tmp_path / SOURCES[language]
    source.write_text(only(language, "tutorial").text, encoding="utf-8")
    compile_program(source, tmp_path / "limits")


def test_the_guide_to_publishing_works_to_the_letter_in_python(reader: Reader) -> None:
    reader.follow("python", "py")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is missing")
def test_the_guide_to_publishing_works_to_the_letter_in_rust(reader: Reader) -> None:
    reader.run(only("sh", "new", "rs", "checkout"))
    reader.follow("rust,no_run", "rs")


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
