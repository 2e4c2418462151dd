# SPDX-License-Identifier: Apache-2.0
#
# Stores the directory of test_upgrade.py with the previous version. Run it only for another PREVIOUS_COMMIT:
# cd Tests && ../.venv/bin/python -m Upgrade.make_stored
"""Makes the archive of a storage directory."""

from __future__ import annotations

import json
import sys
import tarfile
import tempfile
from pathlib import Path

from Upgrade.libraries import PREVIOUS_COMMIT, build_previous
from Upgrade.story import serving


def main() -> None:
    """Fetches two editions, the second as a difference, and stores an override."""
    library = build_previous()
    if library is None:
        sys.exit(f"the history does not contain {PREVIOUS_COMMIT}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with serving(folder) as servers:
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
