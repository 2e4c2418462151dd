# SPDX-License-Identifier: Apache-2.0
#
# The memory of a process at its peak, while it refreshes large settings.
"""The peak memory of refreshes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from EndToEnd.host import LIMIT
from EndToEnd.settings_hosts import PATH, SettingsHosts

MEGABYTE = 1_000_000


def nested(number: int) -> dict[str, object]:
    """A realistic value of about 400 bytes."""
    return {
        "name": "billing sidebar rollout",
        "description": f"Controls the rollout of the sidebar number {number} in the area billing for a part of the users",
        "targeting": {"countries": ["de", "fr"], "version": {"min": "110.3"}, "share": 0.25, "seed": number},
        "variants": [{"name": "control", "weight": 0.75}, {"name": "rollout", "weight": 0.25}],
        "links": {"help": f"https://support.example.com/billing/sidebar/topic-{number}", "owner": "team@example.com"},
    }


@pytest.mark.parametrize("size", [10 * MEGABYTE, pytest.param(100 * MEGABYTE, marks=pytest.mark.slow)])
def test_a_refresh_of_a_large_document_needs_at_most_one_and_a_half_times_its_stored_size_in_memory(
    settings: SettingsHosts, size: int
) -> None:
    host = settings.hosts.setup(max_body_bytes=2 * size)
    settings.server.say(b'{"small":1}', PATH)
    settings.try_open(host, fetch_at_open=False, activation="immediate")
    host.refresh()  # The libraries and threads of a first request are not measured.

    each = len(json.dumps(nested(10**6)))
    body = json.dumps({f"key-{number}": nested(number) for number in range(size // each)}).encode()
    settings.server.say(body, PATH)
    before = host.memory("VmHWM")
    assert host.run("refresh", LIMIT)["status"] == "REMORA_OK"
    growth = host.memory("VmHWM") - before

    image = max(file.stat().st_size for file in Path(settings.storage).iterdir())
    assert image >= size
    # VmHWM counts pages of the stored file too, which the system can drop.
    assert growth <= 1.5 * image + MEGABYTE, f"{growth} bytes for an image of {image} and a body of {len(body)}"
