# SPDX-License-Identifier: Apache-2.0
"""The rotation of a root, as a Python host goes through it."""

from __future__ import annotations

from pathlib import Path

import pytest

import remora
from Servers.pki import Pki, make_pki
from Servers.v2_server import V2Server

SECONDS = 30


def test_data_verified_with_a_previous_root_is_read_and_stored_again_with_the_new_root(
    pki: Pki, tmp_path: Path
) -> None:
    new = make_pki(tmp_path / "new")
    storage = tmp_path / "storage"
    with V2Server(pki) as server:
        server.collection("c").publish({"a": {"n": 1}})
        with remora.Client(storage, server=server.url) as client:
            client.collection("c", root_sha256=pki.root_sha256).refresh(SECONDS)
        with remora.Client(storage, server=server.url) as client:
            source = client.collection("c", root_sha256=new.root_sha256, previous_roots=(pki.root_sha256,))
            with source.snapshot() as snapshot:
                assert (snapshot.origin, snapshot.get_int("a", "/n")) == (remora.Origin.CACHED, 1)
            with pytest.raises(remora.RootMismatchError):
                source.refresh(SECONDS)
            server.rotate(new)
            assert source.refresh(SECONDS) is remora.Outcome.UPDATED
        with remora.Client(storage, server=server.url) as client:
            assert client.collection("c", root_sha256=new.root_sha256).get_int("a", "/n") == 1
