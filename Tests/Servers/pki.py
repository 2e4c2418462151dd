# SPDX-License-Identifier: Apache-2.0
#
# Certificates like those of Remote Settings: a P-384 root, intermediate and leaf, made
# with the openssl command line. The leaf's key signs content; clients pin the root.
"""Making of certificate chains for content signatures."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

SIGNER = "remote-settings.content-signature.mozilla.org"

_EXTENSIONS = """\
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
extendedKeyUsage = codeSigning
subjectKeyIdentifier = hash
[intermediate]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
extendedKeyUsage = codeSigning
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
nameConstraints = permitted;DNS:.content-signature.mozilla.org
[leaf]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = codeSigning
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
subjectAltName = DNS:{signer}
"""


@dataclass(frozen=True)
class Pki:
    """A chain on disk and what a client and a signer need of it."""

    chain_pem: str
    """Leaf, intermediate, root: the body that x5u points to."""
    root_sha256: str
    """SHA-256 of the root's DER, as upper-case hex with colons."""
    leaf_key: Path
    """PEM file of the private key that signs content."""


def make_pki(directory: Path, *, signer: str = SIGNER, leaf_days: int = 365) -> Pki:
    """Makes a new chain in `directory`; negative `leaf_days` give an expired leaf."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "extensions.cnf").write_text(_EXTENSIONS.format(signer=signer))
    _issue(directory, "root", "root-ca", issuer=None, days=max(3650, leaf_days))
    _issue(directory, "intermediate", "intermediate-ca", issuer="root", days=max(1825, leaf_days))
    _issue(directory, "leaf", signer, issuer="intermediate", days=leaf_days)
    pems = {name: (directory / f"{name}.pem").read_text() for name in ("leaf", "intermediate", "root")}
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pems["root"])).hexdigest().upper()
    return Pki(
        chain_pem="".join(pems.values()),
        root_sha256=":".join(digest[i : i + 2] for i in range(0, len(digest), 2)),
        leaf_key=directory / "leaf.key",
    )


def _issue(directory: Path, name: str, common_name: str, *, issuer: str | None, days: int) -> None:
    """Writes NAME.key and NAME.pem; without an issuer the certificate signs itself."""
    subject = f"/C=US/O=Remora test/CN={common_name}"
    signing = ["-signkey", f"{name}.key"]
    if issuer is not None:
        signing = ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key", "-CAcreateserial"]
    _openssl(directory, "ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", f"{name}.key")
    _openssl(directory, "req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr")
    _openssl(
        directory, "x509", "-req", "-in", f"{name}.csr", *signing, "-sha384", "-days", str(days),
        "-extfile", "extensions.cnf", "-extensions", name, "-out", f"{name}.pem",
    )  # fmt: skip


def _openssl(directory: Path, *arguments: str) -> None:
    """Runs openssl in `directory`; its words become the error when it fails."""
    done = subprocess.run(["openssl", *arguments], cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")
