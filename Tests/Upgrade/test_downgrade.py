# SPDX-License-Identifier: Apache-2.0
"""Tests of one storage directory that two versions of the library use in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from Servers.v2_server import CHANGESET
from Upgrade.libraries import CURRENT, Library
from Upgrade.story import Servers

pytestmark = pytest.mark.slow


def test_the_current_and_the_previous_version_of_remora_read_each_others_stored_data(
    servers: Servers, previous: Library, tmp_path: Path
) -> None:
    plan = servers.plan(str(tmp_path / "storage"))
    previous.run({**plan, "refresh": True, "overrides": {"mine": "kept"}})
    before = previous.run(plan)
    assert before["signed"]["values"]["banner"]["text"] == "first"
    assert CURRENT.run(plan) == before

    servers.publish("second", 2)
    CURRENT.run({**plan, "refresh": True})
    after = CURRENT.run(plan)
    assert after["signed"]["values"]["banner"]["text"] == "second"
    assert after["plain"]["values"]["mine"] == "kept"
    assert previous.run(plan) == after


def test_after_a_downgrade_the_previous_version_of_remora_requests_only_the_changes_since_the_stored_data(
    servers: Servers, previous: Library, tmp_path: Path
) -> None:
    plan = servers.plan(str(tmp_path / "storage"))
    CURRENT.run({**plan, "refresh": True})
    servers.publish("second", 2)
    servers.collections.requests.clear()
    read = previous.run({**plan, "refresh": True})
    assert read["signed"]["values"]["limits"] == {"id": "limits", "most": 2} | {
        "last_modified": read["signed"]["values"]["limits"]["last_modified"]
    }
    asked = [request.target for request in servers.collections.requests if CHANGESET in request.target]
    assert asked
    assert all("_since=" in target for target in asked)
