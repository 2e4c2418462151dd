# SPDX-License-Identifier: Apache-2.0
#
# Content signatures: the bytes that Remote Settings signs, and ECDSA P-384 over them.
# The openssl command line does the cryptography; only DER and base64url are ours.
"""Signing and verifying of collections."""

from __future__ import annotations

import base64
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import canonicaljson

Record = dict[str, Any]

_COORDINATE_BYTES = 48


class Signer:
    """Signs collections with the leaf key of a chain."""

    def __init__(self, leaf_key: Path) -> None:
        self._leaf_key = leaf_key

    def sign(self, records: Iterable[Record], timestamp: int) -> str:
        """The base64url signature of a collection at a timestamp."""
        done = subprocess.run(
            ["openssl", "dgst", "-sha384", "-sign", str(self._leaf_key)],
            input=signed_bytes(records, timestamp), capture_output=True, check=True,
        )  # fmt: skip
        return base64.urlsafe_b64encode(_raw_from_der(done.stdout)).decode()


def signed_bytes(records: Iterable[Record], timestamp: int) -> bytes:
    """What is signed: the prefix and the canonical JSON of records and timestamp."""
    data = sorted(records, key=lambda record: str(record["id"]))
    text: str = canonicaljson.dumps({"data": data, "last_modified": str(timestamp)})
    return b"Content-Signature:\x00" + text.encode()


def verifies(signature: str, records: Iterable[Record], timestamp: int, chain_pem: str) -> bool:
    """Tells whether a signature is the one of the chain's leaf over a collection."""
    with tempfile.TemporaryDirectory() as directory:
        leaf, key, der = (Path(directory) / name for name in ("leaf.pem", "key.pem", "signature.der"))
        leaf.write_text(chain_pem)
        public = subprocess.run(
            ["openssl", "x509", "-in", str(leaf), "-pubkey", "-noout"], capture_output=True, check=True
        )
        key.write_bytes(public.stdout)
        der.write_bytes(_der_from_raw(base64.urlsafe_b64decode(signature)))
        done = subprocess.run(
            ["openssl", "dgst", "-sha384", "-verify", str(key), "-signature", str(der)],
            input=signed_bytes(records, timestamp), capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0


def _raw_from_der(der: bytes) -> bytes:
    """r and s as two 48-byte numbers, from SEQUENCE { INTEGER r, INTEGER s }."""
    raw = b""
    position = 2
    for _ in range(2):
        length = der[position + 1]
        integer = der[position + 2 : position + 2 + length]
        raw += int.from_bytes(integer, "big").to_bytes(_COORDINATE_BYTES, "big")
        position += 2 + length
    return raw


def _der_from_raw(raw: bytes) -> bytes:
    """The reverse of `_raw_from_der`; P-384 lengths always fit one byte."""
    content = b""
    for half in (raw[:_COORDINATE_BYTES], raw[_COORDINATE_BYTES:]):
        number = int.from_bytes(half, "big")
        integer = number.to_bytes(number.bit_length() // 8 + 1, "big")
        content += bytes([2, len(integer)]) + integer
    return bytes([0x30, len(content)]) + content
