# SPDX-License-Identifier: Apache-2.0
#
# Stores the directory of test_upgrade.py with the previous version. Run it only for another PREVIOUS_COMMIT:
# cd Tests && ../.venv/bin/python -m Upgrade.make_stored
"""Makes the archive of a storage directory."""

from __future__ import annotations

import json
import subprocess
import tarfile
import tempfile
from pathlib import Path

from Servers.pki import make_pki
from Servers.static_server import RecordingStaticServer
from Servers.v2_server import V2Server
from Upgrade.libraries import PREVIOUS_COMMIT, ROOT, Library
from Upgrade.story import Servers


def main() -> None:
    """Fetches two editions, the second as a difference, and stores an override."""
    subprocess.run([ROOT / "scripts" / "build-previous", PREVIOUS_COMMIT], check=True)
    tree = ROOT / "build" / "previous" / PREVIOUS_COMMIT
    library = Library(tree, tree / "build" / "libremora.so")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pki = make_pki(folder / "pki")
        with V2Server(pki) as collections, RecordingStaticServer() as bundle:
            servers = Servers(collections, bundle, pki)
            plan = servers.plan(str(folder / "storage"))
            for version, text in enumerate(("first", "second"), 1):
                servers.publish(text, version)
                library.run({**plan, "refresh": True, "overrides": {"mine": "kept"}})
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        (folder / "expected.json").write_text(json.dumps(library.run(plan)), encoding="utf-8")
        with tarfile.open(Path(__file__).with_name(f"storage-{PREVIOUS_COMMIT}.tar.gz"), "w:gz") as archive:
            for member in ("plan.json", "expected.json", "storage"):
                archive.add(folder / member, member)


if __name__ == "__main__":
    main()
