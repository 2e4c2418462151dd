# SPDX-License-Identifier: Apache-2.0
#
# The chains are good, or bad in exactly one way, in the eyes of openssl. A chain that is
# bad by accident would make every refusal test pass.
"""Tests of the certificates."""

from __future__ import annotations

import subprocess
from pathlib import Path

from Servers.pki import SIGNER, Authority, intermediate_claims, leaf_claims, make_pki


def openssl_verify(directory: Path) -> str:
    """What openssl says about the leaf under the root."""
    done = subprocess.run(
        ["openssl", "verify", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "leaf.pem"],
        cwd=directory, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_generated_certificate_chain_is_p384_for_code_signing_and_openssl_accepts_it(tmp_path: Path) -> None:
    pki = make_pki(tmp_path)
    assert openssl_verify(tmp_path).strip() == "leaf.pem: OK"
    assert pki.chain_pem.count("BEGIN CERTIFICATE") == 3
    for name in ("leaf", "intermediate", "root"):
        text = subprocess.run(
            ["openssl", "x509", "-in", f"{name}.pem", "-noout", "-text"],
            cwd=tmp_path, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        assert "NIST CURVE: P-384" in text
        assert "Code Signing" in text
    assert SIGNER in openssl_subject(tmp_path / "leaf.pem")


def openssl_subject(certificate: Path) -> str:
    """The subject line of a certificate."""
    return subprocess.run(
        ["openssl", "x509", "-in", str(certificate), "-noout", "-subject"], capture_output=True, text=True, check=True
    ).stdout


def test_the_root_certificate_hash_is_the_sha256_fingerprint_that_openssl_prints(tmp_path: Path) -> None:
    pki = make_pki(tmp_path)
    printed = subprocess.run(
        ["openssl", "x509", "-in", "root.pem", "-noout", "-fingerprint", "-sha256"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert printed.strip().endswith(f"={pki.root_sha256}")


def test_a_leaf_certificate_that_is_generated_with_a_negative_lifetime_is_expired(tmp_path: Path) -> None:
    make_pki(tmp_path, leaf_days=-1)
    assert "certificate has expired" in openssl_verify(tmp_path)


def test_a_signer_in_another_domain_violates_the_name_constraints_of_the_chain(tmp_path: Path) -> None:
    make_pki(tmp_path, signer="evil.example")
    assert "permitted subtree violation" in openssl_verify(tmp_path)


def test_an_authority_issues_certificate_chains_that_openssl_accepts(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    for pki in (authority.chain(), authority.chain(leaf_claims(since_days=-30, until_days=30))):
        assert openssl_verdict(tmp_path, pki.chain_pem).strip() == "leaf.pem: OK"
        assert pki.root_sha256 == authority.root_sha256


def test_if_the_test_pki_generates_a_chain_with_a_certain_fault_openssl_refuses_the_chain_because_of_this_fault(
    tmp_path: Path,
) -> None:
    authority = Authority(tmp_path)
    bad = {
        "certificate has expired": authority.chain(leaf_claims(since_days=-30, until_days=-1)),
        "certificate is not yet valid": authority.chain(intermediate=intermediate_claims(since_days=1)),
        "permitted subtree violation": authority.chain(leaf_claims(dns_names=("evil.example",))),
        "invalid CA certificate": authority.chain(intermediate=intermediate_claims(is_authority=False)),
    }
    for words, pki in bad.items():
        assert words in openssl_verdict(tmp_path, pki.chain_pem)


def openssl_verdict(directory: Path, chain_pem: str) -> str:
    """What openssl says about a chain under its own root."""
    begin = "-----BEGIN CERTIFICATE-----\n"
    for name, block in zip(("leaf", "intermediate", "root"), chain_pem.split(begin)[1:], strict=True):
        (directory / f"{name}.pem").write_text(begin + block)
    return openssl_verify(directory)
