# SPDX-License-Identifier: Apache-2.0
#
# docs/python.md: its Python blocks, one behind the other, are a program that runs.
"""The guide."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import RunPython
from Servers.bundle_server import BundleServer, element
from Servers.demo_records import COLLECTION, RECORDS
from Servers.v2_server import V2Server

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_python_guide_run_without_changes(run_python: RunPython, tmp_path: Path) -> None:
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) >= 9
    program = "import sys\nSERVER, STORAGE, BUNDLE, SETTINGS = sys.argv[1:5]\n" + "\n".join(blocks)
    with V2Server(None) as server, BundleServer() as bundles:
        bundles.publish(2, element("app"))
        bundles.say(b'{"dark_mode": true, "limits": {"uploads": 5}}', "/settings")
        server.collection(COLLECTION).publish({key: RECORDS[key] for key in ("banner", "limits")})
        logo = server.attachments.add(b"\x89PNG\r\n" + bytes(5000), "icons/logo.png", "image/png")
        server.collection("icons").publish({"logo": {"attachment": logo}})
        done = run_python(program, server.url, tmp_path / "storage", bundles.url(), bundles.url("/settings"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Hello from the server\n") and "REMORA_ERR_NETWORK" in done.stdout
