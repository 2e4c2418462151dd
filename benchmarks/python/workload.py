# SPDX-License-Identifier: Apache-2.0
"""The same settings for every contender: keys of about 30 bytes, their booleans, the order in which
they are read, and the documents that carry them."""

from __future__ import annotations

import json
import random

COUNT = 10_000
TIMESTAMP = 1_700_000_000_000

SETTINGS = {f"feature.section{number % 97:03}.setting{number:05}": number % 3 == 0 for number in range(COUNT)}
KEYS = list(SETTINGS)
READS = random.Random(1).sample(KEYS, COUNT)


def records() -> list[dict[str, object]]:
    """As records of a collection."""
    return [{"id": key, "last_modified": TIMESTAMP, "v": value} for key, value in SETTINGS.items()]


def packaged() -> bytes:
    """As packaged data of Remora."""
    return json.dumps({"data": records(), "timestamp": TIMESTAMP}).encode()


def changeset() -> bytes:
    """As a Remote Settings server answers."""
    return json.dumps({"metadata": {}, "timestamp": TIMESTAMP, "changes": records()}).encode()


def flat() -> bytes:
    """As a flat dictionary."""
    return json.dumps(SETTINGS).encode()


def configcat() -> bytes:
    """As ConfigCat's local file."""
    return json.dumps({"flags": SETTINGS}).encode()


def eppo() -> bytes:
    """As Eppo's configuration: flags that give everybody one value, and log nothing."""
    variations = {"on": {"key": "on", "value": True}, "off": {"key": "off", "value": False}}
    flags = {
        key: {
            "key": key,
            "enabled": True,
            "variationType": "BOOLEAN",
            "totalShards": 10_000,
            "variations": variations,
            "allocations": [
                {
                    "key": "all",
                    "rules": [],
                    "doLog": False,
                    "splits": [{"variationKey": "on" if value else "off", "shards": []}],
                }
            ],
        }
        for key, value in SETTINGS.items()
    }
    head = {"createdAt": "2026-01-01T00:00:00.000Z", "format": "SERVER", "environment": {"name": "bench"}}
    return json.dumps({**head, "flags": flags}).encode()
