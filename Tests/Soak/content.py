# SPDX-License-Identifier: Apache-2.0
#
# All values of an edition follow from its number, so a reader detects a wrong value, and a mixture of two editions.
"""The published content, and what is wrong with data that a host has read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

COLLECTION = "pool"
KEYS = [f"server-{number}" for number in range(40)]
FILE = "file"
"""The record with an attachment."""
OVERRIDE = "of-the-host"
"""A key that hosts set, and that is never published."""
FILE_EDITIONS = 10
"""Another attachment is published after this many editions."""
FILES = 8
"""The number of attachments, which are published in turn: an unused one stays in the storage for a day."""
FILE_SIZE = 100_000
EXPECTED_ERRORS = {"NETWORK", "HTTP", "TIMEOUT", "SIGNATURE_MISMATCH", "REJECTED"}
"""The errors that the faults of the server and the rejections cause."""


def digest(key: str, edition: int) -> str:
    return hashlib.sha256(f"{key} {edition}".encode()).hexdigest()


def value(key: str, edition: int) -> dict[str, Any]:
    return {"edition": edition, "digest": digest(key, edition)}


def records(edition: int) -> list[dict[str, Any]]:
    file = {"id": FILE, **value(FILE, edition), "attachment": {"filename": "file.bin"}}
    return [file, *({"id": key, **value(key, edition)} for key in KEYS)]


def attachment(edition: int) -> bytes:
    """The bytes of the attachment."""
    line = digest("attachment", edition // FILE_EDITIONS % FILES).encode()
    return (line * (FILE_SIZE // len(line) + 1))[:FILE_SIZE]


def settings(edition: int) -> dict[str, Any]:
    return {key: value(key, edition) for key in KEYS[:5]}


def problem(data: Mapping[str, Any], expected: Iterable[str]) -> str | None:
    """What is wrong with the keys and values of a snapshot. A snapshot without data is right."""
    published = {key: one for key, one in data.items() if key != OVERRIDE}
    if not published:
        return None
    if missing := set(expected) - set(published):
        return f"{len(missing)} keys are missing"
    editions = {one["edition"] for one in published.values()}
    if len(editions) != 1:
        return f"the editions {sorted(editions)} are mixed"
    wrong = [key for key, one in published.items() if one["digest"] != digest(key, one["edition"])]
    return f"wrong values of {', '.join(wrong)}" if wrong else None
