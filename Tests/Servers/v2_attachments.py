# SPDX-License-Identifier: Apache-2.0
"""Attachments of the /v2 server."""

from __future__ import annotations

import hashlib

from .signing import Record


class Attachments(dict[str, bytes]):
    """Files by their locations."""

    def add(self, content: bytes, location: str, mimetype: str = "application/octet-stream") -> Record:
        """Serves a file, and gives what a record says of it."""
        self[location] = content
        return {
            "filename": location.rpartition("/")[2],
            "mimetype": mimetype,
            "location": location,
            "hash": hashlib.sha256(content).hexdigest(),
            "size": len(content),
        }
