# SPDX-License-Identifier: Apache-2.0
"""Contents and files of attachments."""

from __future__ import annotations

import hashlib
from typing import Any

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source

SMALL = b"hello attachment\n"
LARGE = bytes(range(256)) * 8192


def attached(v2: V2Source, hosts: Hosts, body: bytes, **options: Any) -> Driver:
    """Publishes the record a with an attachment, and starts a host that has received the record."""
    v2.publish_attached("a", body)
    return hosts.updated(v2, **options)


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def files(hosts: Hosts) -> list[str]:
    """The files of attachments in the storage directory."""
    return sorted(file.name for file in hosts.storage.iterdir() if file.suffix in (".attachment", ".part"))
