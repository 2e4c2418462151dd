# SPDX-License-Identifier: Apache-2.0
"""docs/openfeature.md: its Python blocks are one program that runs, with the flags of its JSON block."""

from __future__ import annotations

import json
import re
from pathlib import Path

from conftest import URL
from remora.testing import Server

GUIDE = Path(__file__).resolve().parents[5] / "docs" / "openfeature.md"


def blocks(language: str) -> list[str]:
    pattern = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    return pattern.findall(GUIDE.read_text(encoding="utf-8"))


def test_the_program_of_the_guide_runs_without_changes(storage: Path) -> None:
    (document,) = blocks("json")
    programs = blocks("python")
    assert len(programs) == 3
    server = Server()
    server.publish_document(URL, json.loads(document))
    # The server is in memory: a transport, which the guide does not need.
    program = "\n".join(programs).replace('application_name="guide"', 'application_name="guide", transport=SERVER')
    exec(compile(program, str(GUIDE), "exec"), {"URL": URL, "STORAGE": storage, "SERVER": server})
