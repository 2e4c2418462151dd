# SPDX-License-Identifier: Apache-2.0
"""Prints SignedHistory.swift: a chain, its pin, and the signatures of the collection's first versions.

usage: python -m Tests.Simulation.make_signed_history > Tests/Simulation/Servers/SignedHistory.swift

The records are those of `CollectionHistory.swift`. A simulation signs nothing: the same seed has to give the same
bytes.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from Tests.Servers.pki import SIGNER, make_pki
from Tests.Servers.signing import Record, Signer

VERSIONS = 60
RECORDS = 8
START_MS = 1_790_000_000_000
CENTURY_DAYS = 36500


def records(version: int) -> list[Record]:
    """The records of a version; as `CollectionHistory.records`."""
    found: list[Record] = []
    for index in range(RECORDS):
        block = version // (index + 2)
        if block % 4 == 3:
            continue
        changed = max(1, block * (index + 2))
        found.append({"id": f"r{index}", "last_modified": START_MS + 1000 * changed, "n": changed})
    return found


def main() -> None:
    """Prints the file."""
    with tempfile.TemporaryDirectory() as directory:
        pki = make_pki(Path(directory), leaf_days=CENTURY_DAYS)
        signer = Signer(pki.leaf_key)
        signatures = [signer.sign(records(version), START_MS + 1000 * version) for version in range(1, VERSIONS + 1)]
    lines = "\n".join(f'    "{signature}",' for signature in signatures)
    print(
        f"""// SPDX-License-Identifier: Apache-2.0
//
// The signatures of the collection's first versions. Written by make_signed_history.py.

/// A chain, and what its leaf has signed.
enum SignedHistory {{
  static let signer = "{SIGNER}"
  static let rootSHA256 = "{pki.root_sha256}"
  /// Of versions 1, 2, …
  static let signatures = [
{lines}
  ]
  static let chain = \"\"\"
{indent(pki.chain_pem)}
    \"\"\"
}}"""
    )


def indent(text: str) -> str:
    """The text as the content of a Swift literal."""
    return "\n".join("    " + line for line in text.splitlines())


if __name__ == "__main__":
    main()
