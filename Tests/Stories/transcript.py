# SPDX-License-Identifier: Apache-2.0
#
# The lines that a watching example prints, made from what the server has.
"""Expected lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import canonicaljson

Document = dict[str, Any]


def state(document: Document, origin: str) -> Iterator[str]:
    """The state at the start."""
    records = _by_key(document["data"])
    yield f"state origin={origin} version={document['timestamp']} keys={len(records)}"
    for key, record in sorted(records.items()):
        yield f"key {key} {canonicaljson.dumps(record)}"


def update(before: list[Document], changeset: Document) -> Iterator[str]:
    """A refresh that brought a newer version; nothing is ever deleted in the story."""
    old, new = _by_key(before), _by_key(changeset["changes"])
    changed = {key: record for key, record in sorted(new.items()) if old.get(key) != record}
    yield (
        f"event cause=refreshed outcome=updated origin=fetched version={changeset['timestamp']} changes={len(changed)}"
    )
    for key, record in changed.items():
        yield f"change {'updated' if key in old else 'created'} {key} {canonicaljson.dumps(record)}"


def _by_key(records: list[Document]) -> dict[str, Document]:
    return {record["id"]: record for record in records}
