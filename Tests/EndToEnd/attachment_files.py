# SPDX-License-Identifier: Apache-2.0
#
# What the tests of attachments share: contents, and looks at what is stored.
"""Contents and files of attachments."""

from __future__ import annotations

import hashlib

from EndToEnd.hosts import Hosts

SMALL = b"hello attachment\n"
LARGE = bytes(range(256)) * 8192


def fnv1a(body: bytes) -> str:
    value = 0xCBF29CE484222325
    for byte in body:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def files(hosts: Hosts) -> list[str]:
    """The files of attachments in the storage directory."""
    return sorted(file.name for file in hosts.storage.iterdir() if file.suffix in (".attachment", ".part"))
