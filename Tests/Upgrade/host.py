# SPDX-License-Identifier: Apache-2.0
#
# A host that also runs with the previous version of the package: it uses only what both have. Usage: host.py PLAN,
# where the plan is a JSON object: the storage directory, the addresses of the servers, the pinned root, and what to do.
"""Opens three sources of one storage directory, does what the plan says, and prints what it reads as JSON."""

from __future__ import annotations

import json
import sys

import remora

KEYS = {"signed": ["banner", "limits"], "plain": ["banner", "limits", "mine"], "bundle": ["tracker"]}


def main() -> None:
    """Runs the plan."""
    plan = json.loads(sys.argv[1])
    with remora.Client(plan["storage"], server=plan["server"]) as client:
        sources = {
            "signed": client.collection("signed", root_sha256=plan["root"]),
            "plain": client.collection("plain", trust="off", persist_overrides=True),
            "bundle": client.bundle(plan["bundle"], fetch_at_open=False),
        }
        if plan.get("refresh"):
            for source in sources.values():
                source.refresh(timeout=20)
        for key, value in plan.get("overrides", {}).items():
            sources["plain"].overrides[key] = value
        print(json.dumps({name: _state(source, KEYS[name]) for name, source in sources.items()}))


def _state(source: remora.Source, keys: list[str]) -> dict[str, object]:
    info = source.info()
    found = {key: source.get(key) for key in keys}
    return {"values": found, "version": info.version, "is_cached": info.origin == remora.Origin.CACHED}


if __name__ == "__main__":
    main()
