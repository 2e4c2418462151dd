# SPDX-License-Identifier: Apache-2.0
"""Tests of the example folder_transport.c: a transport of a host that answers with the files of a folder."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "examples" / "folder_transport"


def run(folder: Path, key: str) -> subprocess.CompletedProcess[str]:
    command: list[str | os.PathLike[str]] = [PROGRAM, folder, "demo", key]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_folder_transport_example_answers_requests_with_the_files_of_a_folder(tmp_path: Path) -> None:
    changeset = tmp_path / "v2/buckets/main/collections/demo/changeset"
    changeset.parent.mkdir(parents=True)
    record = {"id": "banner", "last_modified": 1000, "text": "Hi"}
    metadata = {"bucket": "main", "id": "demo"}
    changeset.write_text(json.dumps({"metadata": metadata, "timestamp": 1000, "changes": [record]}), encoding="utf-8")
    done = run(tmp_path, "banner")
    assert (json.loads(done.stdout), done.stderr, done.returncode) == (record, "", 0)


def test_the_folder_transport_example_answers_404_for_a_file_that_does_not_exist(tmp_path: Path) -> None:
    done = run(tmp_path, "banner")
    assert done.returncode == 1
    assert "404" in done.stderr
