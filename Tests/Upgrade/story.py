# SPDX-License-Identifier: Apache-2.0
"""What the servers have before and after an upgrade."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from Servers.bundle_server import element
from Servers.pki import Pki, make_pki
from Servers.static_server import RecordingStaticServer
from Servers.v2_server import V2Server


@dataclass(frozen=True)
class Servers:
    """A server of collections and one of a bundle, both listening."""

    collections: V2Server
    bundle: RecordingStaticServer
    pki: Pki

    def publish(self, text: str, version: int) -> None:
        """Publishes the next edition of everything: `text` is in each document."""
        for name in ("signed", "plain"):
            collection = self.collections.collection(name)
            collection.publish({"banner": {"text": text}, "limits": {"most": version}})
        self.bundle.publish(version, element("tracker", tracker={"appId": text}))

    def plan(self, storage: str, **actions: object) -> dict[str, object]:
        """The plan of a host over a storage directory."""
        return {
            "storage": storage,
            "server": self.collections.url,
            "root": self.pki.root_sha256,
            "bundle": self.bundle.url(),
            **actions,
        }


@contextmanager
def serving(folder: Path) -> Iterator[Servers]:
    """Servers that have published nothing yet, and listen for the length of a block."""
    pki = make_pki(folder / "pki")
    with V2Server(pki) as collections, RecordingStaticServer() as bundle:
        yield Servers(collections, bundle, pki)
