# SPDX-License-Identifier: Apache-2.0
#
# Certificates like those of Remote Settings: a P-384 root, intermediate and leaf. The leaf's key signs content; clients
# pin the root. An authority issues chains to order: good today and bad in one way tomorrow, under a pin that stays.
"""Certificate chains for content signatures."""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

SIGNER = "remote-settings.content-signature.mozilla.org"

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

_CODE_SIGNING = (ExtendedKeyUsageOID.CODE_SIGNING,)


@dataclass(frozen=True)
class Pki:
    """A chain, and what a client and a signer need of it."""

    chain_pem: str
    """Leaf, intermediate, root: the body that x5u points to."""
    root_sha256: str
    """SHA-256 of the root's DER, as hex, with or without colons."""
    leaf_key: Path
    """PEM file of the private key that signs content."""


@dataclass(frozen=True)
class Claims:
    """What a certificate says of itself; days count from now."""

    name: str
    since_days: float = -1
    until_days: float = 365
    is_authority: bool = False
    usages: tuple[ObjectIdentifier, ...] = _CODE_SIGNING
    dns_names: tuple[str, ...] = ()
    permitted: tuple[str, ...] = ()
    """DNS names that its own certificates may have; empty is any."""
    key: Key = field(default_factory=lambda: ec.generate_private_key(ec.SECP384R1()))


def leaf_claims(**changes: object) -> Claims:
    """Those of a good leaf, but for what is changed."""
    return Claims(**{"name": SIGNER, "dns_names": (SIGNER,), **changes})  # type: ignore[arg-type]


def intermediate_claims(**changes: object) -> Claims:
    """Those of a good intermediate, but for what is changed."""
    constraints = (".content-signature.mozilla.org",)
    usual = {"name": "intermediate", "is_authority": True, "permitted": constraints, "since_days": -300}
    return Claims(**{**usual, **changes})  # type: ignore[arg-type]


def make_pki(directory: Path, *, signer: str = SIGNER, leaf_days: int = 365) -> Pki:
    """Makes a chain of a new root, also as NAME.pem in `directory`; negative `leaf_days` give an expired leaf."""
    directory.mkdir(parents=True, exist_ok=True)
    authority = Authority(directory, until_days=max(3650, leaf_days))
    leaf = leaf_claims(dns_names=(signer,), since_days=min(-1, leaf_days - 1), until_days=leaf_days)
    pki = authority.chain(leaf, intermediate_claims(until_days=max(1825, leaf_days)))
    begin = "-----BEGIN CERTIFICATE-----\n"
    for name, pem in zip(("leaf", "intermediate", "root"), pki.chain_pem.split(begin)[1:], strict=True):
        (directory / f"{name}.pem").write_text(begin + pem)
    digest = pki.root_sha256.upper()
    return replace(pki, root_sha256=":".join(digest[i : i + 2] for i in range(0, len(digest), 2)))


class Authority:
    """One root."""

    def __init__(self, directory: Path, **changes: object) -> None:
        self._directory = directory
        usual = {"name": "root", "is_authority": True, "since_days": -300, "until_days": 3650}
        self._claims = Claims(**{**usual, **changes})  # type: ignore[arg-type]
        self._root = _issue(self._claims, None)
        self._count = 0

    def chain(self, leaf: Claims | None = None, intermediate: Claims | None = None) -> Pki:
        """A chain of three with a leaf and an intermediate of its own; its content is signed with a P-384 key
        anyway."""
        middle = intermediate or intermediate_claims()
        end = leaf or leaf_claims()
        middle_certificate = _issue(middle, (self._claims, self._root))
        certificates = [_issue(end, (middle, middle_certificate)), middle_certificate, self._root]
        key = end.key if isinstance(end.key.public_key(), ec.EllipticCurvePublicKey) else leaf_claims().key
        self._count += 1
        file = self._directory / f"leaf-{self._count}.key"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        pem = "".join(one.public_bytes(serialization.Encoding.PEM).decode() for one in certificates)
        return Pki(chain_pem=pem, root_sha256=self.root_sha256, leaf_key=file)

    @property
    def root_sha256(self) -> str:
        """The pin."""
        return hashlib.sha256(self._root.public_bytes(serialization.Encoding.DER)).hexdigest()


def _issue(claims: Claims, issuer: tuple[Claims, x509.Certificate] | None) -> x509.Certificate:
    """A certificate; without an issuer it signs itself."""
    now = datetime.datetime.now(datetime.timezone.utc)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, claims.name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[1].subject if issuer else subject)
        .public_key(claims.key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=claims.since_days))
        .not_valid_after(now + datetime.timedelta(days=claims.until_days))
        .add_extension(x509.BasicConstraints(claims.is_authority, None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(claims.key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not claims.is_authority,
                key_cert_sign=claims.is_authority,
                crl_sign=claims.is_authority,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    )
    if issuer:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer[0].key.public_key())
        builder = builder.add_extension(identifier, critical=False)
    if claims.usages:
        builder = builder.add_extension(x509.ExtendedKeyUsage(claims.usages), critical=False)
    if claims.dns_names:
        names = [x509.DNSName(name) for name in claims.dns_names]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    if claims.permitted:
        subtrees = [x509.DNSName(name) for name in claims.permitted]
        builder = builder.add_extension(x509.NameConstraints(subtrees, None), critical=True)
    return builder.sign((issuer[0] if issuer else claims).key, hashes.SHA384())
