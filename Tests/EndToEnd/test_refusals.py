# SPDX-License-Identifier: Apache-2.0
#
# Lies about the content: each is refused under its own name, and the last good data stay
# readable, in this process and, from disk, in the next one.
"""What is refused, and what stays."""

from __future__ import annotations

import pytest

from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults, v2_lies
from Servers.pki import Pki
from Servers.signing import Signer
from Servers.v2_faults import Fault
from Servers.v2_server import CHAIN, CHANGESET

LIES = {
    "forged record": (v2_lies.forged_record(), "REMORA_ERR_SIGNATURE_MISMATCH"),
    "forged timestamp": (v2_lies.forged_timestamp(), "REMORA_ERR_SIGNATURE_MISMATCH"),
    "no signature": (v2_lies.missing_signature(), "REMORA_ERR_SIGNATURE_MISSING"),
    "another collection under its own name": (v2_lies.another_collection(), "REMORA_ERR_FORMAT"),
}


def assert_refused(v2: V2Source, hosts: Hosts, fault: Fault, status: str) -> None:
    """Good data, then a lie: refused by name, and the good data stay in memory and on disk."""
    timestamp = v2.publish("a", n=1)
    host = hosts.updated(v2)
    host.succeed("subscribe")
    v2.server.set_fault(CHANGESET, fault)
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == (status, "refused")
    event = host.event()
    assert (event["outcome"], event["error"]["status"], event["changes"]) == ("refused", status, [])
    assert host.succeed("info")["last_error"]["status"] == status
    assert (host.version(), set(host.values())) == (timestamp, {"a"})
    successor = hosts.open(v2, after=host)
    assert (successor.origin(), successor.version(), set(successor.values())) == ("cached", timestamp, {"a"})
    v2.server.clear_faults()
    v2.publish("b", n=2)
    successor.update()
    assert set(successor.values()) == {"a", "b"}


def test_a_cache_without_the_key_cannot_make_an_outdated_host_look_up_to_date(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    checked = host.succeed("info")["checked_at"]
    frozen = v2_lies.unsigned_empty_diff(v2.content.timestamp)
    v2.publish("a", n=2)
    v2.server.set_fault(CHANGESET, frozen)
    for _ in range(2):
        answer = host.refresh()
        assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_SIGNATURE_MISSING", "refused")
    info = host.succeed("info")
    assert (info["checked_at"], info["last_error"]["status"]) == (checked, "REMORA_ERR_SIGNATURE_MISSING")
    assert v2.last_since() is None
    v2.server.clear_faults()
    host.update()
    assert host.values()["a"]["n"] == 2


def test_after_a_restart_an_empty_diff_is_verified_without_a_request_for_the_chain(v2: V2Source, hosts: Hosts) -> None:
    hosts.published(v2)
    chains = v2.server.count(CHAIN)
    assert hosts.open(v2).refresh()["outcome"] == "unchanged"
    assert v2.server.count(CHAIN) == chains
    v2.content.re_sign()
    for more in (1, 1):
        assert hosts.open(v2).refresh()["outcome"] == "unchanged"
        assert v2.server.count(CHAIN) == chains + more


@pytest.mark.parametrize("name", LIES)
def test_an_invalid_response_is_refused_with_its_reason_and_no_data_is_lost(
    v2: V2Source, hosts: Hosts, name: str
) -> None:
    fault, status = LIES[name]
    assert_refused(v2, hosts, fault, status)


def test_a_signature_by_an_unknown_key_is_refused(v2: V2Source, hosts: Hosts, stranger: Pki) -> None:
    assert_refused(v2, hosts, v2_lies.wrong_signature(Signer(stranger.leaf_key)), "REMORA_ERR_SIGNATURE_MISMATCH")


def test_if_the_signature_of_a_diff_is_invalid_remora_requests_all_records_once(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    v2.publish("b", n=2)
    v2.server.set_fault(CHANGESET, v2_lies.forged_record(), times=1)
    host.update()
    assert set(host.values()) == {"a", "b"}
    assert v2.last_since() is None
    assert len(v2.requests()) == 3


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (v2_faults.status(404), "REMORA_ERR_HTTP"),
        (v2_faults.endless(), "REMORA_ERR_TOO_LARGE"),
    ],
    ids=["404", "endless"],
)
def test_a_signed_response_is_not_accepted_if_its_certificate_chain_cannot_be_fetched(
    v2: V2Source, hosts: Hosts, fault: Fault, status: str
) -> None:
    v2.publish("a", n=1)
    v2.server.set_fault(CHAIN, fault)
    host = hosts.open(v2)
    assert host.refresh()["status"] == status
    assert host.origin() == "none"
    v2.server.clear_faults()
    host.update()


def test_no_data_is_lost_when_the_certificate_chain_is_missing_on_the_server(v2: V2Source, hosts: Hosts) -> None:
    host = hosts.published(v2)
    v2.publish("b", n=2)
    v2.server.set_fault(CHANGESET, v2_lies.chain_at(f"{v2.url}/cert-chains/chains/moved.chain"))
    answer = host.refresh()
    assert (answer["status"], answer["http_status"]) == ("REMORA_ERR_HTTP", 404)
    assert set(host.values()) == {"a"}
