# SPDX-License-Identifier: Apache-2.0
#
# Certificate chains that do not hold, and signatures that no chain makes good: refused by name, and whatever was good
# before stays, in memory and on disk.
"""Chains and signatures."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from EndToEnd.hosts import Hosts, V2Source
from Servers import v2_faults, v2_lies
from Servers.chain_files import ChainFiles
from Servers.loopback import LoopbackServer, Request, Response
from Servers.pki import Authority, Claims, Pki, intermediate_claims, leaf_claims
from Servers.v2_collection import Collection, Document
from Servers.v2_faults import Fault
from Servers.v2_server import CHAIN, CHANGESET, V2Server

MALFORMED, INVALID = "REMORA_ERR_CHAIN_MALFORMED", "REMORA_ERR_CHAIN_INVALID"
EXPIRED, SUBJECT = "REMORA_ERR_CERTIFICATE_EXPIRED", "REMORA_ERR_CERTIFICATE_SUBJECT"
MOST_BYTES = 65_536

BEGIN, END = "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n"


@dataclass(frozen=True)
class Bad:
    """How the text of a good chain is spoiled, and what the error is."""

    spoil: Callable[[list[str]], str]
    status: str
    word: str = ""


def blocks(pki: Pki) -> list[str]:
    """The certificates of a chain, leaf first."""
    return [BEGIN + part for part in pki.chain_pem.split(BEGIN)[1:]]


TEXTS = {
    "a missing intermediate": Bad(lambda c: c[0] + c[2], INVALID, "intermediate"),
    "a missing root": Bad(lambda c: c[0] + c[1], INVALID, "root"),
    "reversed": Bad(lambda c: "".join(reversed(c)), INVALID, "followed by"),
    "a page of a hotel": Bad(lambda c: "<html>Sign in</html>", MALFORMED),
    "a block that is no certificate": Bad(lambda c: BEGIN + "AAAA\n" + END + c[1] + c[2], MALFORMED, "certificate 1"),
    "a byte more than 64 KiB": Bad(lambda c: "".join(c).ljust(MOST_BYTES + 1, "\n"), "REMORA_ERR_TOO_LARGE"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_response_whose_certificate_chain_is_not_pem_is_refused_and_no_data_is_lost(
    v2: V2Source, hosts: Hosts, pki: Pki, name: str
) -> None:
    case = TEXTS[name]
    timestamp = v2.publish("a", n=1)
    hosts.fetch(v2)
    v2.publish("b", n=2)
    v2.server.set_fault(CHAIN, v2_faults.body(case.spoil(blocks(pki)), "text/plain"))
    second = hosts.open(v2)  # A new process: it has to fetch the chain.
    answer = second.refresh()
    assert (answer["status"], answer["outcome"]) == (case.status, outcome_of(case.status))
    assert case.word in answer["message"]
    assert (second.version(), set(second.values())) == (timestamp, {"a"})
    third = hosts.open(v2, after=second)
    assert (third.origin(), third.version(), set(third.values())) == ("cached", timestamp, {"a"})
    v2.server.clear_faults()
    third.update()
    assert set(third.values()) == {"a", "b"}


def outcome_of(status: str) -> str:
    """A chain that is too large did not come; another one came and was refused."""
    return "failed" if status == "REMORA_ERR_TOO_LARGE" else "refused"


LEAVES = {
    "an expired leaf": (leaf_claims(since_days=-30, until_days=-1), None, EXPIRED, "expired"),
    "an intermediate that is not yet valid": (None, intermediate_claims(since_days=1), EXPIRED, "intermediate"),
    "a leaf of another signer": (
        leaf_claims(dns_names=("onecrl.content-signature.mozilla.org",)), None, SUBJECT, "onecrl",
    ),
    "a leaf outside of the name constraints": (
        None, intermediate_claims(permitted=("elsewhere.example",)), INVALID, "permitted",
    ),
    "a leaf that is not for code signing": (
        leaf_claims(usages=(ExtendedKeyUsageOID.SERVER_AUTH,)), None, INVALID, "code signing",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Own:
    """A server whose chains are issued to order, with one record published."""

    authority: Authority
    source: V2Source

    def rotate(self, leaf: Claims | None = None, intermediate: Claims | None = None) -> None:
        self.source.server.rotate(self.authority.chain(leaf, intermediate))


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def own(authority: Authority) -> Iterator[Own]:
    with V2Server(authority.chain()) as server:
        source = V2Source(server, "c", authority.root_sha256)
        source.publish("a", n=1)
        yield Own(authority, source)


@pytest.mark.parametrize("name", LEAVES)
def test_an_invalid_certificate_chain_is_refused_with_its_reason_and_no_data_is_lost(
    own: Own, hosts: Hosts, name: str
) -> None:
    leaf, intermediate, status, word = LEAVES[name]
    host = hosts.updated(own.source)
    timestamp = host.version()
    own.rotate(leaf, intermediate)
    own.source.publish("b", n=1)
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == (status, "refused")
    assert word in answer["message"]
    assert (host.version(), set(host.values())) == (timestamp, {"a"})
    successor = hosts.open(own.source, after=host)
    assert (successor.origin(), successor.version()) == ("cached", timestamp)
    assert successor.refresh()["status"] == status
    own.rotate()
    successor.update()
    assert set(successor.values()) == {"a", "b"}


def test_an_error_about_an_unexpected_root_certificate_names_the_option_to_set(
    own: Own, hosts: Hosts, pki: Pki
) -> None:
    host = hosts.open(replace(own.source, root=pki.root_sha256))
    answer = host.refresh()
    assert answer["status"] == "REMORA_ERR_ROOT_MISMATCH"
    assert "root_sha256" in answer["message"]
    assert pki.root_sha256 in answer["message"]
    unpinned = hosts.open(replace(own.source, root=None), storage=hosts.storage.parent / "unpinned")
    answer = unpinned.refresh()
    assert answer["status"] == "REMORA_ERR_ROOT_MISMATCH"
    assert "3C:01:44:6A" in answer["message"]  # A custom server is held to the pin of stage.


def test_data_in_the_bucket_security_state_must_be_signed_by_the_signer_for_that_bucket(
    tmp_path: Path, hosts: Hosts
) -> None:
    authority = Authority(tmp_path)
    name = "onecrl.content-signature.mozilla.org"
    with V2Server(authority.chain(leaf_claims(dns_names=(name,)))) as server:
        for bucket in ("security-state", "main"):
            server.collection("c", bucket).publish({"a": {"n": 1}})
        source = V2Source(server, "c", authority.root_sha256)
        host = hosts.updated(source, bucket="security-state")
        assert set(host.values()) == {"a"}
        assert hosts.open(source).refresh()["status"] == SUBJECT
        hosts.updated(source, signer=name)


def test_a_verified_certificate_chain_is_fetched_once_until_the_signing_key_changes(own: Own, hosts: Hosts) -> None:
    server = own.source.server
    second = V2Source(server, "second", own.source.root)
    second.publish("x", n=1)
    host = hosts.updated(own.source)
    host.succeed("open", "collection", "second", root_sha256=own.source.root)
    for n in range(3):
        second.publish("x", n=n)
        host.update()
    assert server.count(CHAIN) == 1
    own.rotate()
    second.publish("x", n=9)
    host.update()
    assert (server.count(CHAIN), host.values()["x"]["n"]) == (2, 9)
    own.source.publish("a", n=2)
    hosts.updated(own.source)
    assert server.count(CHAIN) == 3  # What one process verified is no other's.


def with_signatures(change: Callable[[dict[str, Any]], list[dict[str, Any]]]) -> Fault:
    """Other signatures than the good one; the older single member goes."""

    def lie(_: Collection, document: Document) -> Document:
        changed = copy.deepcopy(document)
        changed["metadata"]["signatures"] = change(changed["metadata"].pop("signature"))
        return changed

    return Fault(lie=lie)


WRONG = "A" * 128

SIGNATURES: dict[str, tuple[Callable[[dict[str, Any]], list[dict[str, Any]]], str | None]] = {
    "the second of two": (lambda good: [{**good, "signature": WRONG}, good], None),
    "behind one whose chain is nowhere": (lambda good: [{**good, "x5u": good["x5u"] + ".gone"}, good], None),
    "of unknown modes alone": (
        lambda good: [{**good, "mode": "mldsa65"}, {**good, "mode": ""}], "REMORA_ERR_SIGNATURE_MISSING",
    ),
    "of 95 bytes": (lambda good: [{**good, "signature": good["signature"][4:]}], "REMORA_ERR_SIGNATURE_MALFORMED"),
    "of zeros": (lambda good: [{**good, "signature": WRONG}], "REMORA_ERR_SIGNATURE_MISMATCH"),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNATURES)
def test_several_signatures_of_a_response_are_tried_in_order_and_the_error_has_a_reason_for_each(
    v2: V2Source, hosts: Hosts, name: str
) -> None:
    change, status = SIGNATURES[name]
    timestamp = v2.publish("a", n=1)
    host = hosts.updated(v2)
    newer = v2.publish("b", n=1)
    v2.server.set_fault(CHANGESET, with_signatures(change))
    answer = host.refresh()
    assert answer["status"] == (status or "REMORA_OK"), answer
    assert host.version() == (timestamp if status else newer)
    assert hosts.open(v2, after=host).version() == (timestamp if status else newer)


ELSEWHERE = [
    "file:///etc/passwd", "data:text/plain,x", "nonsense", "", "//127.0.0.1/x", "http://user:secret@127.0.0.1/x",
]  # fmt: skip


@pytest.mark.parametrize("x5u", ELSEWHERE)
def test_a_response_whose_certificate_chain_is_on_an_untrusted_host_is_refused_with_a_specific_error(
    v2: V2Source, hosts: Hosts, x5u: str
) -> None:
    host = hosts.published(v2)
    v2.publish("b", n=1)
    v2.server.set_fault(CHANGESET, v2_lies.chain_at(x5u))
    answer = host.refresh()
    assert (answer["status"], answer["outcome"]) == ("REMORA_ERR_CHAIN_LOCATION", "refused")
    assert "secret" not in answer["message"]
    assert set(host.values()) == {"a"}


def test_a_certificate_chain_is_fetched_only_over_https_and_only_from_a_trusted_host(
    v2: V2Source, hosts: Hosts
) -> None:
    asked: list[Request] = []

    def respond(request: Request) -> Response:
        asked.append(request)
        return Response(404)

    with LoopbackServer(respond) as canary:
        place = canary.origin.removeprefix("http://")
        v2.publish("a", n=1)
        v2.server.set_fault(CHANGESET, v2_lies.chain_at(f"https://{place}/chain.pem"))
        assert hosts.open(v2).refresh()["status"] == "REMORA_ERR_CHAIN_LOCATION"
        other = hosts.open(v2, storage=hosts.storage.parent / "other", trusted_hosts=["127.0.0.1"])
        assert other.refresh()["status"] == "REMORA_ERR_CHAIN_LOCATION"  # Another port is another place.
        # Trusted, it is asked over TLS, which it does not speak.
        trusting = hosts.open(v2, storage=hosts.storage.parent / "trusting", trusted_hosts=[place])
        assert trusting.refresh()["status"] == "REMORA_ERR_TLS"
        v2.server.set_fault(CHAIN, v2_faults.redirect(f"{canary.origin}/chain.pem"))
        v2.server.set_fault(CHANGESET, Fault())
        redirected = hosts.open(v2, storage=hosts.storage.parent / "redirected")
        assert redirected.refresh()["status"] == "REMORA_ERR_REDIRECT"
    assert asked == []


def test_a_server_on_loopback_may_have_its_certificate_chain_on_another_port(
    v2: V2Source, hosts: Hosts, pki: Pki, tmp_path: Path
) -> None:
    files = ChainFiles(pki.chain_pem, tmp_path)
    files.start()
    try:
        v2.publish("a", n=1)
        v2.server.set_fault(CHANGESET, v2_lies.chain_at(files.chain_url))
        before = v2.server.count(CHAIN)
        hosts.updated(v2)
        assert (files.chain_requests, v2.server.count(CHAIN) - before) == (1, 0)
    finally:
        files.stop()
