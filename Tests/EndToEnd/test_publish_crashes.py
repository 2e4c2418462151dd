# SPDX-License-Identifier: Apache-2.0
#
# A publisher that is killed at each of its calls that change the tree. Readers of the tree then have the old or the new
# version of each collection, and the next publication completes the work.
"""Killed publishers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from EndToEnd import tool
from EndToEnd.publishing import Publisher, verify_tree

CALLS = "mkdir,openat,write,fsync,utimensat,rename,unlink,rmdir"


def _strace(publisher: Publisher, output: Path, inject: str, *words: object) -> int:
    command = ["strace", "-f", "-o", str(output), "-e", f"trace={CALLS}", *(["-e", inject] if inject else [])]
    return subprocess.run(
        [*command, tool.TOOL, *publisher.command(*words)], capture_output=True, check=False
    ).returncode


def _readable(publisher: Publisher) -> dict[str, Any]:
    """The state as a client sees it: the collections whose changesets exist, each verified for itself."""
    tree = publisher.tree / "v2"
    found = {}
    for path in tree.glob("buckets/*/collections/*/changeset"):
        name = f"{path.parts[-4]}/{path.parts[-2]}"
        if not name.startswith("monitor/"):
            copy = publisher.directory / "seen"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(publisher.tree, copy)
            document = json.loads(path.read_bytes())
            changes = [{"bucket": "main", "collection": path.parts[-2], "last_modified": document["timestamp"]}]
            monitor = copy / "v2/buckets/monitor/collections/changes/changeset"
            monitor.parent.mkdir(parents=True, exist_ok=True)
            monitor.write_text(json.dumps({"changes": changes, "timestamp": document["timestamp"], "metadata": {}}))
            found.update(verify_tree(copy, publisher.base_url, publisher.root))
    return found


@pytest.mark.parametrize(
    "call", [pytest.param(call, marks=[] if call == "rename" else pytest.mark.slow) for call in CALLS.split(",")]
)
def test_a_publisher_that_is_killed_leaves_the_old_or_the_new_version_and_the_next_one_completes_it(
    publisher: Publisher, tmp_path: Path, call: str
) -> None:
    publisher.write("main/a.json", [{"id": "x", "n": 1}, {"id": "y"}])
    publisher.write("main/a/x", b"old")
    publisher.write("main/b.json", [])
    publisher.write("main/c.json", [])
    publisher.publish()
    (publisher.folder / "main/c.json").unlink()
    base = tmp_path / "base"
    shutil.copytree(publisher.tree, base)
    publisher.write("main/a.json", [{"id": "x", "n": 2}])
    publisher.write("main/a/x", b"new")
    publisher.write("main/b.json", [{"id": "z"}])
    publisher.write("main/d.json", [{"id": "new"}])
    assert tool.run("keys", "renew", publisher.keys).status == 0
    old = verify_tree(base, publisher.base_url, publisher.root)
    if _strace(publisher, tmp_path / "trace", "", "--remove", "main/c") != 0:
        pytest.skip("strace is not allowed here")
    new = publisher.verify()
    mentions = re.findall(rf"^\d+ +{call}\(", (tmp_path / "trace").read_text(), re.MULTILINE)
    for number in range(1, len(mentions) + 1):
        shutil.rmtree(publisher.tree)
        shutil.copytree(base, publisher.tree)
        _strace(publisher, tmp_path / "trace", f"inject={call}:signal=KILL:when={number}", "--remove", "main/c")
        for name, records in _readable(publisher).items():
            assert records in (old.get(name), new.get(name)), (call, number, name)
        remove = ["--remove", "main/c"] if publisher.changeset("main/c").exists() else []
        publisher.publish(*remove)
        assert publisher.verify() == new, (call, number)
        assert list(publisher.tree.rglob(".remora*")) == [] and publisher.check().status == 0
