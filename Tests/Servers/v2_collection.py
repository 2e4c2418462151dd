# SPDX-License-Identifier: Apache-2.0
#
# One collection of the /v2 server: its published versions and the documents they give.
# A version never changes; publishing, deleting and re-signing add one.
"""Collections with their history."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .signing import Record, Signer

Document = dict[str, Any]


@dataclass(frozen=True)
class Version:
    """A collection at one time."""

    timestamp: int
    metadata_modified: int
    records: tuple[Record, ...]
    signature: str | None

    @property
    def ids(self) -> set[str]:
        """The ids of its records."""
        return {str(record["id"]) for record in self.records}


class UnknownSinceError(Exception):
    """The timestamp in `_since` is none that this collection ever had."""


class Collection:
    """The published versions of one collection, the newest last."""

    def __init__(self, bucket: str, name: str, signer: Signer | None, chain_url: str) -> None:
        self.bucket = bucket
        self.name = name
        self._signer = signer
        self._chain_url = chain_url
        self.versions: list[Version] = [self.make_version((), _now_ms())]

    @property
    def head(self) -> Version:
        """The newest version."""
        return self.versions[-1]

    @property
    def timestamp(self) -> int:
        """The timestamp of the newest version."""
        return self.head.timestamp

    def publish(self, records: Mapping[str, Record]) -> int:
        """Creates or replaces records by id; gives the new timestamp."""
        timestamp = self._next_timestamp()
        kept = [record for record in self.head.records if record["id"] not in records]
        written = [{**fields, "id": key, "last_modified": timestamp} for key, fields in records.items()]
        return self._append(written + kept, timestamp)

    def delete(self, *ids: str) -> int:
        """Deletes records; gives the new timestamp."""
        return self._append([record for record in self.head.records if record["id"] not in ids], self._next_timestamp())

    def re_sign(self) -> int:
        """Signs the same content again: only metadata change, the timestamp stays."""
        return self._append(self.head.records, self.timestamp)

    def rotate(self, signer: Signer) -> None:
        """Signs the same content with another key, and what comes after it too."""
        self._signer = signer
        self.re_sign()

    def make_version(self, records: Iterable[Record], timestamp: int) -> Version:
        """A genuinely signed version that is not published."""
        kept = tuple(records)
        signature = self._signer.sign(kept, timestamp) if self._signer else None
        return Version(timestamp, max(_now_ms(), timestamp), kept, signature)

    def document(self, version: Version, since: Version | None = None) -> Document:
        """The changeset of a version: all of its records, or what changed since another."""
        changes: list[Record] = list(version.records)
        if since is not None:
            changes = [record for record in version.records if record["last_modified"] > since.timestamp]
            changes += [{"id": key, "deleted": True} for key in sorted(since.ids - version.ids)]
        return {"timestamp": version.timestamp, "metadata": self._metadata(version), "changes": changes}

    def changeset(self, since: int | None) -> Document:
        """What the server answers, with or without a `_since`."""
        if since is None:
            return self.document(self.head)
        for version in self.versions:
            if version.timestamp == since:
                return self.document(self.head, version)
        raise UnknownSinceError

    def _metadata(self, version: Version) -> Document:
        metadata = {"bucket": self.bucket, "id": self.name, "last_modified": version.metadata_modified}
        if version.signature is None:
            return metadata
        signature = {"mode": "p384ecdsa", "signature": version.signature, "x5u": self._chain_url}
        return {**metadata, "signature": signature, "signatures": [signature]}

    def _append(self, records: Iterable[Record], timestamp: int) -> int:
        self.versions.append(self.make_version(records, timestamp))
        return timestamp

    def _next_timestamp(self) -> int:
        return max(_now_ms(), self.timestamp + 1)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
