# SPDX-License-Identifier: Apache-2.0
"""Reads a published tree in Python; see Tests/Stories/published.py for the commands and answers."""

from __future__ import annotations

import json
import sys

import remora

SECONDS = 30.0


def answer(command: str, client: remora.Client, limits: remora.Source, files: remora.Source) -> dict[str, object]:
    """Executes a command, and returns the answer."""
    if command == "refresh":
        limits.refresh(SECONDS)
        snapshot = limits.snapshot()
        per_day = snapshot.get_int("uploads", "/per_day", -1)
        counts = {"limits": len(snapshot), "files": len(files.snapshot())}
        return {"per_day": per_day, **counts, "verified": snapshot.verified}
    if command == "sync":
        report = client.sync(SECONDS)
        return {"updated": report.updated, "unchanged": report.unchanged, "failed": report.failed}
    attachment = files.snapshot().record("logo").attachment
    assert attachment
    return {"content": attachment.read(SECONDS).decode()}


def main(server: str, root: str, ca_file: str, storage: str) -> None:
    """Answers the commands on standard input."""
    with remora.Client(storage, server=server, ca_file=ca_file or None) as client:
        client.set_context({"app_version": "2.0"})
        limits, files = (client.collection(name, root_sha256=root) for name in ("limits", "files"))
        for line in sys.stdin:
            try:
                print(json.dumps(answer(line.strip(), client, limits, files)), flush=True)
            except remora.Error as error:
                print(json.dumps({"error": error.name}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
