# SPDX-License-Identifier: Apache-2.0
#
# Packaged data with the signature and chain of its server: verified without a request, and then as good as fetched.
"""Packaged data that brings its signature."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from EndToEnd.driver import Driver
from EndToEnd.hosts import Hosts, V2Source
from Servers.pki import Pki, make_pki
from Servers.v2_collection import Document
from Servers.v2_server import CHAIN, CHANGESET, MONITOR


def packaged(source: V2Source, pki: Pki, path: Path) -> Document:
    """Writes what the server has now, as a host packages it."""
    answer = copy.deepcopy(source.content.changeset(None))
    signatures = [{**one, "chain": pki.chain_pem} for one in answer["metadata"]["signatures"]]
    document = {"data": answer["changes"], "timestamp": answer["timestamp"], "metadata": {"signatures": signatures}}
    path.write_text(json.dumps(document))
    return document


def verified(host: Driver) -> tuple[str, int]:
    answer = host.succeed("snapshot")
    return answer["origin"], answer["verified"]


def test_packaged_data_is_verified_at_the_first_refresh(v2: V2Source, hosts: Hosts, pki: Pki, tmp_path: Path) -> None:
    timestamp = v2.publish("a", n=1)
    packaged(v2, pki, tmp_path / "dump.json")
    host = hosts.open(v2, packaged_file=tmp_path / "dump.json")
    assert (verified(host), host.version()) == (("packaged", 0), timestamp)
    assert host.refresh()["outcome"] == "unchanged"
    assert (verified(host), host.version()) == (("packaged", 1), timestamp)
    v2.publish("b", n=2)
    host.update()
    assert (verified(host), set(host.values())) == (("fetched", 1), {"a", "b"})


def test_a_sync_does_not_request_a_collection_whose_packaged_data_has_the_servers_timestamp(
    v2: V2Source, hosts: Hosts, pki: Pki, tmp_path: Path
) -> None:
    v2.publish("a", n=1)
    packaged(v2, pki, tmp_path / "dump.json")
    host = hosts.open(v2, packaged_file=tmp_path / "dump.json")
    before = [v2.server.count(route) for route in (MONITOR, CHANGESET, CHAIN)]
    assert host.succeed("sync")["unchanged"] == 1
    assert [v2.server.count(route) for route in (MONITOR, CHANGESET, CHAIN)] == [before[0] + 1, *before[1:]]
    assert verified(host) == ("packaged", 1)


@pytest.mark.parametrize("fault", ["record", "timestamp", "stranger", "expired"])
def test_packaged_data_with_an_invalid_signature_is_replaced_by_signed_data(
    v2: V2Source, hosts: Hosts, pki: Pki, stranger: Pki, tmp_path: Path, fault: str
) -> None:
    v2.publish("a", n=1)
    document = packaged(v2, pki, tmp_path / "dump.json")
    if fault == "record":
        document["data"][0]["n"] = 666
    elif fault == "timestamp":
        document["timestamp"] += 1
    else:
        chain = stranger if fault == "stranger" else make_pki(tmp_path / "expired", leaf_days=-1)
        document["metadata"]["signatures"][0]["chain"] = chain.chain_pem
    (tmp_path / "dump.json").write_text(json.dumps(document))
    host = hosts.updated(v2, packaged_file=tmp_path / "dump.json")
    assert (verified(host), host.values()["a"]["n"]) == (("fetched", 1), 1)
