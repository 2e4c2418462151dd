# SPDX-License-Identifier: Apache-2.0
#
# docs/python.md: its Python blocks, one behind the other, are a program that runs.
"""The guide."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import RunPython
from Servers.demo_records import COLLECTION, RECORDS
from Servers.v2_server import V2Server

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guide_runs_as_it_stands(run_python: RunPython, tmp_path: Path) -> None:
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) >= 9
    program = "import sys\nSERVER, STORAGE = sys.argv[1:3]\n" + "\n".join(blocks)
    with V2Server(None) as server:
        server.collection(COLLECTION).publish({key: RECORDS[key] for key in ("banner", "limits")})
        done = run_python(program, server.url, tmp_path / "storage")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Hello from the server\n") and "REMORA_ERR_NETWORK" in done.stdout
