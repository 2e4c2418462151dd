# SPDX-License-Identifier: Apache-2.0
"""Remora for asyncio. Classes, methods and reads are those of `remora`; methods that wait are coroutines.

    async with remora.aio.Client("/var/lib/host/remora") as client:
        settings = client.collection("demo")
        await settings.refresh(timeout=5)
        async for change in settings.changes():
            print(change.kind.name, change.key, change.new)

A client belongs to the loop in which it was created, which runs its callbacks; this package starts no thread.
"""

from __future__ import annotations

from .client import Client
from .events import Changes, Events
from .records import Attachment, CollectionRecord
from .settings import Settings
from .source import Source

__all__ = ["Attachment", "Changes", "Client", "CollectionRecord", "Events", "Settings", "Source"]
