# SPDX-License-Identifier: Apache-2.0
#
# The chains are good, or bad in exactly one way, in the eyes of openssl. A chain that is
# bad by accident would make every refusal test pass.
"""Tests of the certificates."""

from __future__ import annotations

import subprocess
from pathlib import Path

from Servers.pki import SIGNER, make_pki


def openssl_verify(directory: Path) -> str:
    """What openssl says about the leaf under the root."""
    done = subprocess.run(
        ["openssl", "verify", "-CAfile", "root.pem", "-untrusted", "intermediate.pem", "leaf.pem"],
        cwd=directory, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_chain_is_p384_for_code_signing_and_verifies(tmp_path: Path) -> None:
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


def test_the_pin_is_the_fingerprint_that_openssl_prints(tmp_path: Path) -> None:
    pki = make_pki(tmp_path)
    printed = subprocess.run(
        ["openssl", "x509", "-in", "root.pem", "-noout", "-fingerprint", "-sha256"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert printed.strip().endswith(f"={pki.root_sha256}")


def test_negative_days_make_an_expired_leaf(tmp_path: Path) -> None:
    make_pki(tmp_path, leaf_days=-1)
    assert "certificate has expired" in openssl_verify(tmp_path)


def test_another_domain_violates_the_name_constraints(tmp_path: Path) -> None:
    make_pki(tmp_path, signer="evil.example")
    assert "permitted subtree violation" in openssl_verify(tmp_path)
