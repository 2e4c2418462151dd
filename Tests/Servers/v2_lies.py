# SPDX-License-Identifier: Apache-2.0
#
# Lies about the content of a collection: what an attacker on the way, or a server that
# lost its mind, could put into a changeset. Each is well-formed and untrue in one way.
"""Faults of changesets."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable
from typing import Any

from .signing import Record, Signer
from .v2_collection import Collection, Document
from .v2_faults import Fault

_TWO_DAYS_MS = 2 * 24 * 3600 * 1000


def forged_record() -> Fault:
    """Adds a record that was never signed."""

    def lie(collection: Collection, document: Document) -> Document:
        forged = {"id": "forged", "last_modified": collection.timestamp, "note": "never signed"}
        return {**document, "changes": [*document["changes"], forged]}

    return Fault(lie=lie)


def forged_timestamp() -> Fault:
    """Moves the timestamp ahead of the one that was signed."""
    return Fault(lie=lambda _, document: {**document, "timestamp": document["timestamp"] + 1000})


def wrong_signature(signer: Signer) -> Fault:
    """Signs with another key than the chain's."""

    def lie(collection: Collection, document: Document) -> Document:
        signature = signer.sign(collection.head.records, collection.timestamp)
        return _with_signatures(document, lambda bundle: {**bundle, "signature": signature})

    return Fault(lie=lie)


def malformed_signature() -> Fault:
    """Gives a signature that is not base64url."""
    return Fault(lie=lambda _, document: _with_signatures(document, lambda bundle: {**bundle, "signature": "*?"}))


def decoy_signatures() -> Fault:
    """Puts a signature of an unknown mode and a wrong one before the good one: no lie, but confusing."""

    def lie(_: Collection, document: Document) -> Document:
        good = document["metadata"]["signatures"][0]
        decoys = [{**good, "mode": "mldsa65", "signature": "AAAA"}, {**good, "signature": "A" * 128}]
        return {**document, "metadata": {**document["metadata"], "signatures": [*decoys, good]}}

    return Fault(lie=lie)


def missing_signature() -> Fault:
    """Leaves the signatures out."""

    def lie(_: Collection, document: Document) -> Document:
        metadata = {k: v for k, v in document["metadata"].items() if k not in ("signature", "signatures")}
        return {**document, "metadata": metadata}

    return Fault(lie=lie)


def chain_at(url: str) -> Fault:
    """Says that the chain is at another URL."""
    return Fault(lie=lambda _, document: _with_signatures(document, lambda bundle: {**bundle, "x5u": url}))


def unsigned_empty_diff(timestamp: int) -> Fault:
    """Confirms a version by an empty diff without a signature, as a cache without the key could."""

    def lie(_: Collection, document: Document) -> Document:
        metadata = {key: document["metadata"][key] for key in ("bucket", "id")}
        return {"timestamp": timestamp, "metadata": metadata, "changes": []}

    return Fault(lie=lie)


def replay(version: int = 0) -> Fault:
    """Serves an older version, validly signed, whatever `_since` says."""
    return Fault(lie=lambda collection, _: collection.document(collection.versions[version]))


def genuine(records: Iterable[Record], timestamp: int) -> Fault:
    """Serves any records under any timestamp, validly signed, whatever `_since` says."""
    kept = tuple(records)
    return Fault(lie=lambda collection, _: collection.document(collection.make_version(kept, timestamp)))


def another_collection() -> Fault:
    """Serves other content under a higher timestamp, validly signed, with the name of another collection."""

    def lie(collection: Collection, _: Document) -> Document:
        other = {"id": "of-another", "last_modified": collection.timestamp + 1}
        document = collection.document(collection.make_version([other], collection.timestamp + 1))
        return {**document, "metadata": {**document["metadata"], "id": "another"}}

    return Fault(lie=lie)


def equivocate() -> Fault:
    """Serves other content under the same timestamp, validly signed."""

    def lie(collection: Collection, _: Document) -> Document:
        second = {"id": "second-truth", "last_modified": collection.timestamp}
        return collection.document(collection.make_version([*collection.head.records, second], collection.timestamp))

    return Fault(lie=lie)


def future(ahead_ms: int = _TWO_DAYS_MS) -> Fault:
    """Serves the content under a timestamp that has not come yet, validly signed."""

    def lie(collection: Collection, _: Document) -> Document:
        timestamp = time.time_ns() // 1_000_000 + ahead_ms
        return collection.document(collection.make_version(collection.head.records, timestamp))

    return Fault(lie=lie)


def _with_signatures(document: Document, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Document:
    """A copy of a document with each of its signatures changed."""
    changed = copy.deepcopy(document)
    metadata = changed["metadata"]
    metadata["signature"] = change(metadata["signature"])
    metadata["signatures"] = [change(bundle) for bundle in metadata["signatures"]]
    return changed
