# SPDX-License-Identifier: Apache-2.0
"""Tests of a storage directory that the previous version of the library has stored."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

from Upgrade.libraries import CURRENT, PREVIOUS_COMMIT

STORED = Path(__file__).with_name(f"storage-{PREVIOUS_COMMIT}.tar.gz")
"""A storage directory with its plan and what the previous version reads from it; see make_stored.py."""


def unpack(folder: Path) -> tuple[dict[str, object], dict[str, object]]:
    """The plan of a host over an unpacked directory, and what the previous version reads."""
    with tarfile.open(STORED) as archive:
        archive.extractall(folder, filter="data")
    plan: dict[str, object] = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    expected: dict[str, object] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return {**plan, "storage": str(folder / "storage")}, expected


def test_data_that_the_previous_version_of_remora_stored_can_be_read_without_a_server(tmp_path: Path) -> None:
    plan, expected = unpack(tmp_path)
    assert CURRENT.run(plan) == expected


def test_overrides_that_the_previous_version_of_remora_stored_can_be_changed(tmp_path: Path) -> None:
    plan, expected = unpack(tmp_path)
    changed = CURRENT.run({**plan, "overrides": {"mine": "changed"}})
    assert changed["plain"]["values"]["mine"] == "changed"
    assert CURRENT.run(plan) == changed
    assert changed["signed"] == expected["signed"]
