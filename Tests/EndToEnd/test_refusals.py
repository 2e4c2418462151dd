# SPDX-License-Identifier: Apache-2.0
#
# Lies about the content: each is refused under its own name, and the last good data stay
# readable, in this process and, from disk, in the next one.
"""What is refused, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults, v2_lies
from Servers.pki import Pki, make_pki
from Servers.signing import Signer
from Servers.v2_faults import Fault
from Servers.v2_server import CHAIN, CHANGESET, V2Server

LIES = {
    "forged record": (v2_lies.forged_record(), "REMORA_ERR_SIGNATURE_MISMATCH"),
    "forged timestamp": (v2_lies.forged_timestamp(), "REMORA_ERR_SIGNATURE_MISMATCH"),
    "malformed signature": (v2_lies.malformed_signature(), "REMORA_ERR_SIGNATURE_MALFORMED"),
    "no signature": (v2_lies.missing_signature(), "REMORA_ERR_SIGNATURE_MISSING"),
    "chain on a host that is not trusted": (
        v2_lies.chain_at("http://chains.invalid/x.chain"),
        "REMORA_ERR_CHAIN_LOCATION",
    ),
    "another collection under its own name": (v2_lies.another_collection(), "REMORA_ERR_FORMAT"),
    "timestamp in the future": (v2_lies.future(), "REMORA_ERR_FUTURE"),
    "other content under an accepted timestamp": (v2_lies.equivocate(), "REMORA_ERR_EQUIVOCATION"),
}


def assert_refused(v2: V2Source, hosts: Hosts, fault: Fault, status: str) -> None:
    """Good data, then a lie: refused by name, and the good data stay in memory and on disk."""
    timestamp = v2.publish("a", n=1)
    host = hosts.open(v2)
    host.update()
    host.succeed("subscribe")
    if status.startswith(("REMORA_ERR_SIGNATURE", "REMORA_ERR_CHAIN")):
        v2.publish("b", n=1)  # an empty diff brings nothing, so nothing of it is verified
    v2.server.set_fault(CHANGESET, fault)
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == (status, "refused")
    event = host.event()
    assert (event["outcome"], event["error"]["status"], event["changes"]) == ("refused", status, [])
    assert host.succeed("info")["last_error"]["status"] == status
    assert (host.version(), set(host.values())) == (timestamp, {"a"})
    assert host.end() == 0
    successor = hosts.open(v2)
    assert (successor.origin(), successor.version(), set(successor.values())) == ("cached", timestamp, {"a"})
    v2.server.clear_faults()
    v2.publish("b", n=2)
    successor.update()
    assert set(successor.values()) == {"a", "b"}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_refused_by_name_and_the_good_data_stay(v2: V2Source, hosts: Hosts, name: str) -> None:
    fault, status = LIES[name]
    assert_refused(v2, hosts, fault, status)


def test_a_signature_of_a_strangers_key_is_refused(v2: V2Source, hosts: Hosts, stranger: Pki) -> None:
    assert_refused(v2, hosts, v2_lies.wrong_signature(Signer(stranger.leaf_key)), "REMORA_ERR_SIGNATURE_MISMATCH")


def test_a_diff_that_does_not_verify_is_healed_by_one_full_request(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2)
    host.update()
    v2.publish("b", n=2)
    v2.server.set_fault(CHANGESET, v2_lies.forged_record(), times=1)
    host.update()
    assert set(host.values()) == {"a", "b"}
    assert v2.last_since() is None
    assert len(v2.requests()) == 3


def test_an_older_version_is_not_newer_also_after_a_restart(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    timestamp = v2.publish("a", n=2)
    host = hosts.open(v2)
    host.update()
    v2.server.set_fault(CHANGESET, v2_lies.replay(1))
    assert host.succeed("refresh", 20_000)["outcome"] == "not_newer"
    host.end()
    successor = hosts.open(v2)
    assert successor.succeed("refresh", 20_000)["outcome"] == "not_newer"
    assert (successor.version(), successor.values()["a"]["n"]) == (timestamp, 2)


def test_reset_is_the_way_back_to_an_older_version(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    v2.publish("a", n=2)
    host = hosts.open(v2)
    host.update()
    v2.server.set_fault(CHANGESET, v2_lies.replay(1))
    host.succeed("reset")
    host.update()
    assert host.values()["a"]["n"] == 1


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (v2_faults.status(404), "REMORA_ERR_HTTP"),
        (v2_faults.status(500), "REMORA_ERR_HTTP"),
        (v2_faults.body("no certificate", "text/plain"), "REMORA_ERR_CHAIN_MALFORMED"),
        (v2_faults.endless(), "REMORA_ERR_TOO_LARGE"),
    ],
    ids=["404", "500", "not PEM", "endless"],
)
def test_without_a_chain_nothing_is_accepted(v2: V2Source, hosts: Hosts, fault: Fault, status: str) -> None:
    v2.publish("a", n=1)
    v2.server.set_fault(CHAIN, fault)
    host = hosts.open(v2)
    assert host.refresh()["status"] == status
    assert host.origin() == "none"
    v2.server.clear_faults()
    host.update()


def test_a_chain_that_vanished_costs_no_data(v2: V2Source, hosts: Hosts) -> None:
    v2.publish("a", n=1)
    host = hosts.open(v2)
    host.update()
    v2.publish("b", n=2)
    v2.server.set_fault(CHANGESET, v2_lies.chain_at(f"{v2.url}/cert-chains/chains/moved.chain"))
    answer = host.refresh()
    assert (answer["status"], answer["http_status"]) == ("REMORA_ERR_HTTP", 404)
    assert set(host.values()) == {"a"}


def test_a_strangers_chain_is_not_the_pinned_root(v2: V2Source, hosts: Hosts, stranger: Pki) -> None:
    v2.publish("a", n=1)
    v2.server.set_fault(CHAIN, v2_faults.body(stranger.chain_pem, "text/plain"))
    host = hosts.open(v2)
    assert host.refresh()["status"] == "REMORA_ERR_ROOT_MISMATCH"
    assert host.origin() == "none"


@pytest.mark.parametrize(
    ("make", "signer", "status"),
    [
        (partial(make_pki, leaf_days=-1), None, "REMORA_ERR_CERTIFICATE_EXPIRED"),
        (partial(make_pki, signer="onecrl.content-signature.mozilla.org"), None, "REMORA_ERR_CERTIFICATE_SUBJECT"),
        (partial(make_pki, signer="evil.example"), "evil.example", "REMORA_ERR_CHAIN_INVALID"),
    ],
    ids=["expired leaf", "leaf of another signer", "leaf outside of the name constraints"],
)
def test_a_bad_leaf_is_refused_by_name(
    hosts: Hosts, tmp_path: Path, make: Callable[[Path], Pki], signer: str | None, status: str
) -> None:
    pki = make(tmp_path / "pki")
    with V2Server(pki) as server:
        source = V2Source(server, "c", pki.root_sha256)
        source.publish("a", n=1)
        host = hosts.open(source, signer=signer)
        assert host.refresh()["status"] == status
        assert host.origin() == "none"
